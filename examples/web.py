"""A web service that hands work to a worker, with FastAPI.

pip install fastapi uvicorn
uvicorn web:web                  the web service
limpet worker web:jobs           its worker

curl -X POST localhost:8000/reports/2026
curl localhost:8000/reports/ID
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException

from limpet import App, Job, JobFailed, JobGone, ResultTimeout

jobs = App(name="web")


@jobs.task(queue="reports", unique=("year",), unique_while="running", result_ttl="1h")
async def report(job: Job, year: int) -> dict[str, int]:
    """Add up a year; the same year is not added up twice at the same time."""
    total = 0
    for month in range(1, 13):
        total += year * month
        await job.aprogress(month / 12, f"month {month}")
    return {"year": year, "total": total}


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Close the connections of the app when the web service ends."""
    async with jobs:
        yield


web = FastAPI(lifespan=lifespan)


@web.post("/reports/{year}", status_code=202)
async def order(year: int) -> dict[str, Any]:
    """Order a report; who orders it again meanwhile gets the same job."""
    job = await report.aenqueue(year)
    return {"id": job.id, "created": job.created}


@web.get("/reports/{job_id}")
async def look(job_id: str, wait: float = 0) -> dict[str, Any]:
    """Show the report, or how far it is; `wait` seconds for it if asked."""
    job = jobs.handle(job_id, "reports")
    try:
        return {"status": "done", "report": await job.aresult(timeout=min(wait, 30))}
    except ResultTimeout:
        progress = await job.aprogress()
        return {"status": await job.astatus(), "progress": progress and progress.fraction}
    except JobFailed as failed:
        return {"status": "failed", "why": failed.message.splitlines()[0]}
    except JobGone:
        raise HTTPException(404, "there is no such report (any more)") from None


@web.delete("/reports/{job_id}")
async def cancel(job_id: str) -> dict[str, bool]:
    """Call a report off."""
    return {"cancelled": await jobs.handle(job_id, "reports").acancel()}
