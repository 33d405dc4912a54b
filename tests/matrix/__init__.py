"""The fault matrix: real workers and producers, a real server, and one fault after the other.

tasks, producer, solo   what the programs run
witness                 what they saw, in a file
stage                   starts them, strikes them, asks the server at the end
workers, servers,
lines, poison           the faults
judge                   from what was seen to a verdict, and from there to complaints
rounds, report          all faults with many seeds: `python3 dev.py faults`
"""
