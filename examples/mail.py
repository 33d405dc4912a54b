"""A mail sender: no letter twice, and one letter at a time for each address.

python mail.py                   puts letters into the queue
limpet worker mail:app --burst   sends them
"""

import sys
import time

from limpet import App, Job, Retry

app = App(name="mail")


class MailServer:
    """Stands for your mail server: connecting may fail, sending takes a while."""

    def send(self, to: str, subject: str) -> None:
        """Deliver a letter."""
        sys.stdout.write(f"{to}: begin {subject}\n")
        time.sleep(0.1)
        sys.stdout.write(f"{to}: end {subject}\n")


@app.task(
    queue="outbox",
    unique=("to", "subject"),  # the same letter is not queued while it waits
    lock="address:{to}",  # letters to one address go out one after the other, in their order
    retry=Retry(5, base="2s", on=OSError),  # a server that is away comes back
)
def send(job: Job, to: str, subject: str) -> None:
    """Send a letter; after the death of a worker it is not sent a second time."""
    server = MailServer()  # what fails up to here is tried again
    if job.once("sent"):  # from here on it is sent at most once
        server.send(to, subject)


def main() -> None:
    """Queue letters for three people; the impatient ask twice."""
    for to in ("anna", "ben", "cleo"):
        for subject in ("welcome", "invoice", "welcome"):
            job = send.enqueue(f"{to}@example.com", subject)
            print(f"{to}: {subject}", "queued" if job.created else "is in the queue already")


if __name__ == "__main__":
    with app:
        main()
