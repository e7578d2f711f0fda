"""Owns `hansard watch`: files and record are kept in step for as long as it runs."""

import json
import sys
import time

import click

from hansard.clock import iso
from hansard.domain.mirror import Renamed
from hansard.interfaces.cli.calling import Call, command, counted, note, say
from hansard.interfaces.cli.mirror import renamed_told
from hansard.interfaces.cli.stopping import stoppable
from hansard.services.mirror import home
from hansard.services.watch import COUNTS, FOLDERS, Happening, keep_in_step
from hansard.workspace.watching import Lookout, steps

SINGULAR = {"decisions": "decision", "proposals": "proposal", "memories": "memory"}


@click.command()
@click.option(
    "--root", metavar="PATH", type=click.Path(), help="Folder of the mirror; default: the project's on this machine."
)
@command()
def watch(call: Call, root: str | None) -> None:
    """Stay, and keep the files and the record in step.

    At the start and whenever files change in the inbox folder or in the ledger
    that git brings, what is new is imported, as by `hansard import`. Whenever the
    record changes, on any machine, the files are exported. It goes on until it is
    stopped; a database or a folder that goes away is waited for. With --json every
    line is one document.

    \b
    Example:
      hansard watch
      hansard watch --json >> watch.log
    """
    with call.project() as project, stoppable():
        seat = project.seat()
        place = home(seat, root)
        if not call.as_json:
            note(f"Watching {place}; stop with Ctrl-C.")
        try:
            with Lookout(lambda: steps(place, FOLDERS), deep=False) as lookout:
                for one in keep_in_step(seat, place, lookout.wait):
                    _tell(call, one)
        except KeyboardInterrupt:
            if not call.as_json:
                note("Stopped watching.")


def _tell(call: Call, one: Happening) -> None:
    at = iso(time.time_ns() // 1000)
    if call.as_json:
        print(json.dumps({"at": at, "what": one.what, **one.details}))
    else:
        say(f"{at[11:19]}  {one.what:<10} {_sentence(one)}")
    sys.stdout.flush()


def _sentence(one: Happening) -> str:
    told = one.details
    match one.what:
        case "imported":
            return f"{told['path']} as {told['ref']} ({told['slug']})"
        case "taken in":
            numbers = [counted(told[name], SINGULAR.get(name, name), name) for name in COUNTS if told[name]]
            return ", ".join(numbers + [f"conflict {slug}" for slug in told["conflicts"]])
        case "renamed":
            return renamed_told(Renamed(**told))
        case "warned":
            return f"{told['path']}:{told['line']}: {told['problem']}; {told['fix']}"
        case "set aside":
            marked = "; a secret in it was replaced by a mark, revoke it" if told["redacted"] else ""
            return f"{told['path']} was changed by somebody else and is kept as {told['kept']}{marked}"
        case "exported":
            written, removed = counted(len(told["written"]), "file"), len(told["removed"])
            return f"{written} written" + (f", {removed:,} removed" if removed else "")
        case "waiting":
            return str(told["reason"])
        case "back":
            return "going on"
        case "skipped" if "fix" in told:
            return f"{told['path']}:{told['line']}: {told['reason']}; {told['fix']}"
        case _:
            return f"{told['path']}: {told['reason']}"
