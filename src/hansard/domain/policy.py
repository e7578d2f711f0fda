"""Owns who may do what. Pure: services ask before they touch the store, and no interface decides anything.

Roles add up: an actor may do what any one of its roles may do, so taking a role away can never grant anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hansard.domain.actors import Actor, key_of
from hansard.domain.errors import Denied, Impersonation
from hansard.domain.vocabulary import (
    BOUNDARY_TYPES,
    IMPORTANCE_RANK,
    ROUTINE_TYPES,
    DecisionType,
    Importance,
    MemoryType,
    Role,
    Scope,
    Trust,
)

if TYPE_CHECKING:
    from hansard.domain.memories import Memory


class Act(Enum):
    """Everything an actor can ask for."""

    READ = auto()
    READ_PRIVATE = auto()
    PROPOSE = auto()
    ACCEPT = auto()
    REJECT = auto()
    DECIDE = auto()
    AMEND = auto()
    RECORD = auto()
    EDIT_MEMORY = auto()
    FORGET = auto()
    SHARE = auto()
    INJECT = auto()
    PURGE = auto()
    CONFIGURE = auto()
    LEAD_SESSION = auto()
    RUN = auto()
    FINALISE = auto()
    SET_UP = auto()
    SCAN = auto()
    SPEAK_FOR_PEOPLE = auto()
    RAISE = auto()
    REVIEW_GUARD = auto()
    ALLOW_SECRET = auto()
    GRANT = auto()
    COMMIT = auto()
    CLEAR_SPILLS = auto()


class Matter(NamedTuple):
    """What the act is about: whose it is, of which type, shared or not, and why it is done."""

    owner: str | None = None
    type: DecisionType | None = None
    team: bool = False
    promoted: bool = False
    edited: bool = False
    finalising: bool = False
    outside: bool = False
    """Whether nobody here said it and no person confirmed it: then a person accepts it and no model does."""
    tainted: bool = False
    """Whether it was made in a run that recorded words from outside: the same."""
    person: bool = False
    """Whether its owner is known here as a person, in whose name nobody else speaks."""
    core: bool = False
    """Whether it is core context, which its owner is always told."""


class Allow(NamedTuple):
    """The act may go ahead."""


class Deny(NamedTuple):
    """The act may not go ahead, and why."""

    reason: str
    impersonation: bool = False


Verdict: TypeAlias = Allow | Deny

PEOPLE_ONLY: Mapping[Act, str] = {
    Act.SPEAK_FOR_PEOPLE: "only a person says that words are a person's",
    Act.RAISE: "it comes from outside, so a person confirms it first",
    Act.REVIEW_GUARD: "what waits in quarantine is seen and reviewed by people",
    Act.ALLOW_SECRET: "what may pass the guard for secrets is said and taken back by people",
    Act.GRANT: "tokens are made, listed and revoked by people",
}
NOT_AGENTS: Mapping[Act, str] = {
    Act.COMMIT: "the files of the mirror are committed by a person, a coordinator or a service",
    Act.CLEAR_SPILLS: "spilled files may be another agent's, so a person, a coordinator or a service removes them",
}
CARE: Mapping[Act, str] = {Act.SCAN: "a project is scanned for secrets by a person or a service"}
_CARE = "projects are set up and looked after by people and services"
ALLOWED = Allow()
_TAINTED = "it was made in a run that recorded words from outside"
_FROM_OUTSIDE = "its words count as from outside, because your open run recorded such words"
_A_PERSON = "{} is a person, in whose name nobody else speaks"
_CORE = (
    "core context is written by its own agent and by people; record it as a learning, or say which origin outside it"
    " has, so that a person reviews it"
)
NO_MATTER = Matter()
PIPELINE = "pipeline"
"""The service that turns conversations into memories. It writes with the origin that its evidence has."""


class Ceiling(NamedTuple):
    """The most that words may become by themselves, and who may make more of them."""

    type: MemoryType
    importance: Importance
    scope: Scope
    raised_by: frozenset[Role]


_PEOPLE = frozenset({Role.HUMAN})
_ANYBODY = frozenset(Role)
_FREE = Ceiling(MemoryType.CORE_CONTEXT, Importance.HIGH, Scope.TEAM, _ANYBODY)
INFORMS = Ceiling(MemoryType.LEARNING, Importance.MEDIUM, Scope.AGENT, _PEOPLE)
CEILINGS: Mapping[tuple[Trust, str], Ceiling] = {
    (Trust.TRUSTED, Role.HUMAN): _FREE,
    (Trust.TRUSTED, PIPELINE): Ceiling(MemoryType.LEARNING, Importance.HIGH, Scope.TEAM, _PEOPLE),
    (Trust.WORKING, Role.HUMAN): _FREE,
    (Trust.WORKING, Role.COORDINATOR): _FREE,
    (Trust.WORKING, Role.AGENT): _FREE,
    (Trust.WORKING, Role.SERVICE): Ceiling(MemoryType.LEARNING, Importance.HIGH, Scope.TEAM, _ANYBODY),
    (Trust.WORKING, PIPELINE): Ceiling(MemoryType.LEARNING, Importance.HIGH, Scope.AGENT, _ANYBODY),
    **{(Trust.OUTSIDE, writer): INFORMS for writer in (*Role, PIPELINE)},
}
"""Where words come from and who writes them down: the most they become. What is not here is refused.

What asks for more waits for a person. Law is a matter of `ACCEPT` and `DECIDE`: what comes from outside becomes a
decision by a person alone. A learning, a pattern and an update are equally high types.
"""


def ceiling_of(trust: Trust, actor: Actor, owner: str) -> Ceiling:
    """The ceiling of words that the actor records for the owner, by the role that may most."""
    if Role.SERVICE in actor.roles and actor.key == PIPELINE:
        return CEILINGS[trust, PIPELINE]
    # A service is no agent's equal, but by its own name it is an agent like any other.
    roles = {Role.AGENT if one is Role.SERVICE and key_of(owner) == actor.key else one for one in actor.roles}
    found = [CEILINGS[trust, role] for role in roles if (trust, role) in CEILINGS]
    return max(found, key=lambda one: (one.type is MemoryType.CORE_CONTEXT, one.scope is Scope.TEAM), default=INFORMS)


def beyond(ceiling: Ceiling, memory: Memory, *, placed: bool = False) -> tuple[str, ...]:
    """What the memory asks to be beyond its ceiling. `placed` says that its folder gives it its scope."""
    asked = []
    if memory.type is MemoryType.CORE_CONTEXT and ceiling.type is not MemoryType.CORE_CONTEXT:
        asked.append("core context")
    if memory.scope is Scope.TEAM and ceiling.scope is not Scope.TEAM and not placed:
        asked.append("a memory of the team")
    if IMPORTANCE_RANK[memory.importance] > IMPORTANCE_RANK[ceiling.importance]:
        asked.append("of high importance")
    return tuple(asked)


def judge(actor: Actor, act: Act, matter: Matter = NO_MATTER) -> Verdict:
    """The most favourable verdict among the actor's roles; a role-less actor may do nothing."""
    verdict: Verdict = Deny("no role was given to this caller")
    for role in sorted(actor.roles):
        verdict = _judge_role(role, actor.key, act, matter)
        if isinstance(verdict, Allow):
            return verdict
    return verdict


def require(actor: Actor, act: Act, matter: Matter = NO_MATTER) -> None:
    """Raises Denied, or Impersonation, unless the actor may."""
    verdict = judge(actor, act, matter)
    if isinstance(verdict, Deny):
        error = Impersonation if verdict.impersonation else Denied
        refusal = error(f"{actor.name} ({actor.role or 'no role'}) may not do this: {verdict.reason}.")
        refusal.act = act.name.lower()
        raise refusal


def may(actor: Actor, act: Act, matter: Matter = NO_MATTER) -> bool:
    return isinstance(judge(actor, act, matter), Allow)


def _judge_role(role: Role, key: str, act: Act, matter: Matter) -> Verdict:
    if role is Role.HUMAN:
        return ALLOWED
    own = matter.owner is not None and key_of(matter.owner) == key
    match act:
        case Act.READ | Act.LEAD_SESSION:
            return ALLOWED
        case Act.READ_PRIVATE:
            return ALLOWED if own or matter.team else Deny("the memory belongs to another agent")
        case Act.PROPOSE | Act.RECORD | Act.RUN:
            return _judge_writing(role, matter, own=own)
        case Act.FINALISE:
            return ALLOWED if own and role is Role.COORDINATOR else Deny("a coordinator finalises its own runs")
        case Act.ACCEPT:
            return _judge_accept(role, matter, own=own)
        case Act.REJECT:
            return _judge_reject(role, own=own)
        case Act.DECIDE | Act.AMEND:
            return _judge_decide(role, matter)
        case Act.EDIT_MEMORY:
            return _judge_edit(matter, own=own)
        case Act.SHARE | Act.INJECT:
            return _judge_spread(role, act, matter, own=own)
        case Act.FORGET:
            return _judge_forget(role, matter, own=own)
        case (
            Act.SET_UP
            | Act.SCAN
            | Act.PURGE
            | Act.CONFIGURE
            | Act.SPEAK_FOR_PEOPLE
            | Act.RAISE
            | Act.REVIEW_GUARD
            | Act.ALLOW_SECRET
            | Act.GRANT
            | Act.COMMIT
            | Act.CLEAR_SPILLS
        ):
            if act is Act.SPEAK_FOR_PEOPLE and role is Role.SERVICE and key == PIPELINE:
                return ALLOWED
            return _judge_care(role, act)


def _judge_writing(role: Role, matter: Matter, *, own: bool) -> Verdict:
    if own:
        return ALLOWED
    if role is not Role.SERVICE:
        return Deny(f"only {matter.owner} acts under that name", impersonation=True)
    # Services write on behalf of the author they found in a file or a conversation.
    if matter.person:
        return Deny(_A_PERSON.format(matter.owner), impersonation=True)
    return Deny(_CORE) if matter.core else ALLOWED


def _judge_care(role: Role, act: Act) -> Verdict:
    if act in PEOPLE_ONLY:
        return Deny(PEOPLE_ONLY[act])
    if act in NOT_AGENTS:
        return Deny(NOT_AGENTS[act]) if role is Role.AGENT else ALLOWED
    return ALLOWED if role is Role.SERVICE else Deny(CARE.get(act, _CARE))


def _judge_accept(role: Role, matter: Matter, *, own: bool) -> Verdict:
    if matter.edited:
        return Deny("only a person changes another's words while accepting them")
    if matter.tainted:
        return Deny(f"{_TAINTED}, so a person accepts or confirms it")
    if matter.outside:
        return Deny("its words come from outside, so a person accepts or confirms it")
    if matter.type in ROUTINE_TYPES:
        return ALLOWED
    if role is Role.COORDINATOR:
        if own and not matter.finalising:
            return Deny("a coordinator accepts its own proposal only by finalising the run it was made in")
        return ALLOWED
    if matter.type in BOUNDARY_TYPES:
        return Deny(f"{matter.type} entries bind the whole team and are accepted by a person or a coordinator")
    if own:
        return Deny("nobody accepts their own binding proposal")
    return ALLOWED if role is Role.AGENT else Deny(f"a service leaves {matter.type} entries for review")


def _judge_reject(role: Role, *, own: bool) -> Verdict:
    if role is Role.COORDINATOR or own:
        return ALLOWED
    return Deny("a proposal is rejected by a person, a coordinator or its own author")


def _judge_decide(role: Role, matter: Matter) -> Verdict:
    if role is Role.COORDINATOR:
        if matter.outside:
            whose = "it came from outside and a person accepted it" if matter.promoted else _FROM_OUTSIDE
            return Deny(f"{whose}; propose it instead, so that a person reviews it")
        if matter.type in BOUNDARY_TYPES:
            return Deny(f"{matter.type} decisions are made and changed by people; propose it instead")
        return ALLOWED
    return Deny("decisions are made and changed by people; propose it instead")


def _judge_spread(role: Role, act: Act, matter: Matter, *, own: bool) -> Verdict:
    if act is Act.INJECT and matter.person and not own:
        return Deny(_A_PERSON.format(matter.owner), impersonation=True)
    if role is Role.COORDINATOR or (own and act is Act.SHARE):
        return ALLOWED
    return Deny("memories are spread by a coordinator or a person, and shared by their own agent")


def _judge_edit(matter: Matter, *, own: bool) -> Verdict:
    if matter.promoted:
        return Deny("the memory was accepted by review, so a person changes it")
    return ALLOWED if own else Deny("a memory is changed by its own agent or a person")


def _judge_forget(role: Role, matter: Matter, *, own: bool) -> Verdict:
    if matter.promoted and role is not Role.COORDINATOR:
        return Deny("the memory was promoted by review, so a person or a coordinator forgets it")
    if own or (role is Role.COORDINATOR and matter.team):
        return ALLOWED
    return Deny("a memory is forgotten by its own agent, or a team memory by a coordinator")
