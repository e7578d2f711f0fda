"""Claims made by hand, and what a working tree makes of them."""

from pathlib import Path

from hansard.domain.claims import Claim, ClaimKind, ClaimStatus, Verdict
from hansard.workspace.evidence import Evidence

VERIFIED, STALE, UNCHECKED = ClaimStatus.VERIFIED, ClaimStatus.STALE, ClaimStatus.UNCHECKED


def path(name: str) -> Claim:
    return Claim(ClaimKind.PATH, name)


def symbol(name: str) -> Claim:
    return Claim(ClaimKind.SYMBOL, name)


def told(root: Path, *claims: Claim) -> list[Verdict]:
    """The verdicts of somebody who knows nothing yet, in the order of the claims."""
    verdicts = Evidence(root).check(claims)
    return [verdicts[one] for one in claims]


def statuses(root: Path, *claims: Claim) -> list[ClaimStatus]:
    return [one.status for one in told(root, *claims)]


def calls(log: Path) -> int:
    """How often git was run, by what the fixture `git_calls` wrote down."""
    return len(log.read_text().splitlines())
