"""Counting jobs in sentences."""


def jobs(count: int) -> str:
    """Write how many jobs: 1 job, 4 jobs."""
    return "1 job" if count == 1 else f"{count} jobs"


def were(count: int) -> str:
    """Write how many jobs, as what something happened to: 1 job was, 4 jobs were."""
    return f"{jobs(count)} {'was' if count == 1 else 'were'}"


def are(count: int) -> str:
    """Write how many jobs, as what is in some state: 1 job is, 4 jobs are."""
    return f"{jobs(count)} {'is' if count == 1 else 'are'}"
