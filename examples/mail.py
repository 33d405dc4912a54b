"""A mail sender: no letter twice, and one letter at a time for each address.

    python mail.py                   puts letters into the queue
    limpet worker mail:app --burst   sends them
"""

import time

from limpet import App, Job, Retry

app = App(name="mail")


@app.task(
    queue="outbox",
    unique=("to", "subject"),  # the same letter is not queued while it waits
    lock="address:{to}",  # letters to one address go out one after the other, in their order
    retry=Retry(5, base="2s", on=OSError),  # a server that is away comes back
)
def send(job: Job, to: str, subject: str, text: str = "") -> None:
    """Send a letter; after the death of a worker it is not sent a second time."""
    if not job.once("sent"):
        return
    print(f"{to}: begin {subject}", flush=True)
    time.sleep(0.1)  # here you would talk to your mail server, and send text
    print(f"{to}: end {subject}", flush=True)


def main() -> None:
    """Queue letters for three people; the impatient ask twice."""
    for to in ("anna", "ben", "cleo"):
        for subject in ("welcome", "invoice", "welcome"):
            job = send.enqueue(f"{to}@example.com", subject, text=f"Dear {to.title()}, ...")
            print(f"{to}: {subject}", "queued" if job.created else "is in the queue already")


if __name__ == "__main__":
    with app:
        main()
