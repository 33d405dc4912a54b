"""`limpet demo`: see a worker killed and no job lost."""

import click

from limpet.cli.options import url_option, verbose_option


@click.command()
@url_option
@click.option(
    "--notes",
    metavar="DIRECTORY",
    help="Keep what producer, workers and queue noted: an empty or new directory.",
)
@click.option(
    "--judge",
    "judged",
    metavar="DIRECTORY",
    help="Run nothing: judge the notes kept there once more.",
)
@verbose_option
def demo(url: str | None, notes: str | None, judged: str | None) -> int:
    """Kill a worker with jobs in its hands, and prove that none is lost.

    Runs on a server of its own, or on the one named by --url or LIMPET_URL. Ends by itself.
    """
    if judged is not None:
        if url is not None or notes is not None:
            raise click.UsageError("--judge runs nothing: leave out --url and --notes")
        from limpet.demo.summary import judge_again

        return judge_again(judged)
    from limpet.demo import play

    return play(url, notes)
