"""The same mail is never queued twice, and the newest wish can replace an older one."""

from limpet import Duplicate, Limpet

with Limpet() as limpet:
    mail = limpet.queue("example-mail", unique="waiting")

    first = mail.push("welcome anna@example.com")
    again = mail.push("welcome anna@example.com")
    print("queued twice?", again.created, "- same job:", again.id == first.id)

    # Once it is popped, "waiting" lets the next one in; "running" would hold it off until the end.
    (job,) = mail.pop()
    print("queued while the first runs?", mail.push("welcome anna@example.com").created)
    mail.ack(job)

    # A key says what makes two jobs the same; "replace" keeps the place and takes the new payload.
    index = limpet.queue("example-index", unique="waiting", on_twin="replace")
    for version in ("draft", "final"):
        index.push(f"page 7, {version}", key="page 7")
    (job,) = index.pop(count=10)
    print("indexed once:", job.payload.decode())
    index.ack(job)

    # Whoever wants an error instead of an answer asks for it.
    try:
        mail.push("welcome anna@example.com", on_twin="raise")
    except Duplicate as duplicate:
        print("refused, in the way is a job of queue", duplicate.queue)

    mail.drop()
    index.drop()
