"""Owns every setting: its name, its bounds, and which of the layers its value came from.

Layers, weakest first: default, the user's config.yml, the project's .hansard/config.yml, environment, flag. Of what
the guard is told the strictest counts.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.domain import configured
from hansard.domain.errors import BadSetting
from hansard.settings_file import read_file

if TYPE_CHECKING:
    from hansard.domain.ranking import Ranking

PROJECT_CONFIG = Path(".hansard") / "config.yml"
_APP = "hansard"


SWITCH = ("on", "off")


class Setting(NamedTuple):
    """One thing that can be set. A personal one is never taken from a project's file, which a stranger may write."""

    name: str
    env: str
    default: str | int | float | None
    about: str
    minimum: float | None = None
    maximum: float | None = None
    personal: bool = False
    choices: tuple[str, ...] = ()
    secret: bool = False

    @property
    def field(self) -> str:
        return self.name.replace(".", "_")


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "db", "HANSARD_DB", None, "Database: a file, or postgresql://…; a file in your data folder if not set.",
        personal=True,
    ),
    Setting(
        "project", "HANSARD_PROJECT", None, "Key of the project; the one of the working directory if not set.",
        personal=True,
    ),
    Setting("agent", "HANSARD_AGENT", None, "The agent that acts; a person acts if not set.", personal=True),
    Setting("role", "HANSARD_ROLE", None, "Role of the caller; agent if an agent is named, else human.", personal=True),
    Setting("user", "HANSARD_USER", None, "Name of the person that acts; the login name if not set.", personal=True),
    Setting(
        "store.busy_seconds", "HANSARD_STORE_BUSY_SECONDS", 30.0,
        "Longest wait for another writer, or for a server that is away.", 0.0, 3600.0,
    ),
    Setting(
        "store.connections_max", "HANSARD_STORE_CONNECTIONS_MAX", 16,
        "Connections of one process to a server at a time; those that are idle are given back.", 2, 1_000,
    ),
    Setting("context.items_max", "HANSARD_CONTEXT_ITEMS_MAX", 20, "Memories in one block.", 1, 1_000),
    Setting(
        "context.memory_tokens_max", "HANSARD_CONTEXT_MEMORY_TOKENS_MAX", 4_000, "Tokens of memory in one block.",
        1, 1_000_000,
    ),
    Setting(
        "context.learnings_max", "HANSARD_CONTEXT_LEARNINGS_MAX", 5,
        "Newest high-importance learnings and patterns that are candidates for a block.", 0, 1_000,
    ),
    Setting(
        "context.decisions_tokens_max", "HANSARD_CONTEXT_DECISIONS_TOKENS_MAX", 8_000,
        "Tokens of decisions in one block; past them the older ones are shortened, never dropped.", 1, 1_000_000,
    ),
    Setting(
        "context.guidance_tokens_max", "HANSARD_CONTEXT_GUIDANCE_TOKENS_MAX", 5_000,
        "Tokens of consolidated memory in one block.", 1, 1_000_000,
    ),
    Setting(
        "context.knowledge_max", "HANSARD_CONTEXT_KNOWLEDGE_MAX", 5,
        "Memories in one block that were looked for because of its task; 0 looks for none.", 0, 50,
    ),
    Setting(
        "context.knowledge_tokens_max", "HANSARD_CONTEXT_KNOWLEDGE_TOKENS_MAX", 2_000,
        "Tokens of memories that were looked for because of the task.", 1, 1_000_000,
    ),
    Setting(
        "context.relevance_floor", "HANSARD_CONTEXT_RELEVANCE_FLOOR", 0.45,
        "Relevance below which nothing is put into a block because of its task.", 0.0, 1.0,
    ),
    Setting(
        "context.session_tokens_max", "HANSARD_CONTEXT_SESSION_TOKENS_MAX", 2_000,
        "Tokens of the session in one block; of a longer summary the newest lines are shown.", 1, 1_000_000,
    ),
    Setting(
        "context.runs_max", "HANSARD_CONTEXT_RUNS_MAX", 8, "Open runs of others that a block lists.", 0, 100,
    ),
    Setting(
        "context.ignore_phrases", "HANSARD_CONTEXT_IGNORE_PHRASES", None,
        "More phrases that ask for a turn without memory, with a semicolon between them.",
    ),
    Setting(
        "context.stale", "HANSARD_CONTEXT_STALE", "show",
        "Memories that name a file or a symbol that is gone: show them marked, omit them, or off to check nothing.",
        choices=("show", "omit", "off"),
    ),
    Setting(
        "context.receipts_days", "HANSARD_CONTEXT_RECEIPTS_DAYS", 90,
        "Days after which `hansard receipts purge` deletes a receipt that was kept.", 0, 36_500,
    ),
    Setting(
        "context.wait_seconds", "HANSARD_CONTEXT_WAIT_SECONDS", 3.0,
        "Longest wait of a turn for an answer of its store; then it goes on without.", 0.1, 3600.0,
    ),
    Setting(
        "memory.profile", "HANSARD_MEMORY_PROFILE", "standard",
        "How hits are ordered: standard, or adaptive with half-life and quality per source and ratings.",
        choices=("standard", "adaptive"),
    ),
    Setting(
        "memory.log_days", "HANSARD_MEMORY_LOG_DAYS", 90,
        "Days for which the log keeps what was surfaced to whom; counts of use and ratings stay.", 30, 36_500,
    ),
    Setting(
        "memory.recency_half_life_days", "MEMORY_RECENCY_HALF_LIFE_DAYS", 14.0,
        "Days after which a memory's score has halved; set, it holds for every source in every profile.",
        0.001, 36_500.0,
    ),
    Setting("memory.access_boost_max", "MEMORY_ACCESS_BOOST_MAX", 1.5, "Largest boost for what is read.", 1.0, 10.0),
    Setting(
        "memory.access_recency_hours", "MEMORY_ACCESS_RECENCY_HOURS", 48.0,
        "Hours for which a reading counts fully; later it counts half.", 0.0, 87_600.0,
    ),
    Setting(
        "memory.candidate_multiplier", "MEMORY_CANDIDATE_MULTIPLIER", 3,
        "How many times the limit enter the ordering.", 1, 100,
    ),
    Setting(
        "memory.demotion_floor", "MEMORY_DEMOTION_FLOOR", 1.0,
        "Lowest factor that bad ratings can push a memory to in the adaptive profile.", 0.0, 2.0,
    ),
    Setting(
        "compaction.tokens_target", "HANSARD_COMPACTION_TOKENS_TARGET", 4_000,
        "Tokens that `hansard compact` leaves; over them it climbs its ladder, and 0 sets no target.", 0, 10_000_000,
    ),
    Setting(
        "compaction.level_max", "HANSARD_COMPACTION_LEVEL_MAX", 3,
        "Highest level of the ladder: 1 truncates, 2 summarises, 3 discards, 4 spills to a file, 5 resets.", 0, 5,
    ),
    Setting(
        "compaction.inline_characters_max", "HANSARD_COMPACTION_INLINE_CHARACTERS_MAX", 400,
        "Characters that level 1 leaves of one bullet or one tool output.", 40, 1_000_000,
    ),
    Setting(
        "compaction.max_consecutive_failures", "HANSARD_COMPACTION_MAX_CONSECUTIVE_FAILURES", 3,
        "Failures of a task in a row; after more of them a person has to approve the next attempt.", 0, 1_000,
    ),
    Setting(
        "mirror.auto", "HANSARD_MIRROR_AUTO", "on",
        "Whether the mirror's files follow every change by themselves: on, or off.", choices=SWITCH,
    ),
    Setting(
        "mcp.aliases", "HANSARD_MCP_ALIASES", "off",
        "Whether MCP tools go by the names of Agent Swarm as well, such as memory-search: on, or off.", choices=SWITCH,
    ),
    Setting(
        "guard.secrets", "HANSARD_GUARD_SECRETS", "redact",
        "What becomes of a text that holds a secret: redact it, block the write, or ask a reviewer.",
        choices=("redact", "block", "ask"),
    ),
    Setting(
        "guard.writes_per_minute", "HANSARD_GUARD_WRITES_PER_MINUTE", 6_000,
        "Writes of one agent in a minute; 0 sets no limit. People and services are not counted.", 0, 1_000_000,
    ),
    Setting(
        "guard.memories_max", "HANSARD_GUARD_MEMORIES_MAX", 500_000,
        "Memories of one agent in a project; 0 sets no limit.", 0, 100_000_000,
    ),
    Setting(
        "guard.pending_max", "HANSARD_GUARD_PENDING_MAX", 10_000,
        "Proposals of one agent that wait for review; 0 sets no limit.", 0, 1_000_000,
    ),
    Setting(
        "embedding.provider", "HANSARD_EMBEDDING_PROVIDER", "bundled",
        "What makes vectors: bundled (offline), http (OpenAI-compatible), sentence (extra), none (keywords only).",
        personal=True, choices=("bundled", "http", "sentence", "none"),
    ),
    Setting("embedding.base_url", "HANSARD_EMBEDDING_BASE_URL", None, "Address of the http provider.", personal=True),
    Setting("embedding.key", "HANSARD_EMBEDDING_KEY", None, "Key of the http provider.", personal=True, secret=True),
    Setting("embedding.model", "HANSARD_EMBEDDING_MODEL", None, "Model of the provider.", personal=True),
    Setting(
        "embedding.revision", "HANSARD_EMBEDDING_REVISION", None,
        "Which of several models of the same name the http provider has; vectors of two are never compared.",
        personal=True,
    ),
    Setting(
        "embedding.dimensions", "HANSARD_EMBEDDING_DIMENSIONS", 512, "Length of the http provider's vectors.", 1, 8_192,
        personal=True,
    ),
    Setting(
        "embedding.timeout_seconds", "HANSARD_EMBEDDING_TIMEOUT_SECONDS", 20.0, "Longest wait for the http provider.",
        0.1, 600.0, personal=True,
    ),
)  # fmt: skip
OWN = frozenset({"db", "project", "agent", "role", "user"})
"""Who somebody is and where they work; of use to nobody else."""
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


def printable(setting: Setting, value: str | int | float | None) -> str | int | float | None:
    """The value as it may be shown: a secret only says that it is set, an address hides its passwords."""
    if setting.secret and value is not None:
        return "(set)"
    if not isinstance(value, str):
        return value
    from hansard.domain import places

    return places.printable(value)


class Settings(NamedTuple):
    """The values in force, read once. `origins` says where each one came from."""

    db: str | None = None
    project: str | None = None
    agent: str | None = None
    role: str | None = None
    user: str | None = None
    store_busy_seconds: float = 30.0
    store_connections_max: int = 16
    context_items_max: int = 20
    context_memory_tokens_max: int = 4_000
    context_learnings_max: int = 5
    context_decisions_tokens_max: int = 8_000
    context_guidance_tokens_max: int = 5_000
    context_knowledge_max: int = 5
    context_knowledge_tokens_max: int = 2_000
    context_relevance_floor: float = 0.45
    context_session_tokens_max: int = 2_000
    context_runs_max: int = 8
    context_ignore_phrases: str | None = None
    context_stale: str = "show"
    context_receipts_days: int = 90
    context_wait_seconds: float = 3.0
    memory_profile: str = "standard"
    memory_log_days: int = 90
    memory_recency_half_life_days: float = 14.0
    memory_access_boost_max: float = 1.5
    memory_access_recency_hours: float = 48.0
    memory_candidate_multiplier: int = 3
    memory_demotion_floor: float = 1.0
    compaction_tokens_target: int = 4_000
    compaction_level_max: int = 3
    compaction_inline_characters_max: int = 400
    compaction_max_consecutive_failures: int = 3
    mirror_auto: str = "on"
    mcp_aliases: str = "off"
    guard_secrets: str = "redact"
    guard_writes_per_minute: int = 6_000
    guard_memories_max: int = 500_000
    guard_pending_max: int = 10_000
    embedding_provider: str = "bundled"
    embedding_base_url: str | None = None
    embedding_key: str | None = None
    embedding_model: str | None = None
    embedding_revision: str | None = None
    embedding_dimensions: int = 512
    embedding_timeout_seconds: float = 20.0
    origins: Mapping[str, str] = MappingProxyType({})
    faults: tuple[str, ...] = ()
    """What could not be used, if whoever asked goes on without it."""
    answer_seconds: float | None = None
    """Longest wait for any answer of a server, if whoever asks would rather go on without it."""

    def value(self, setting: Setting) -> str | int | float | None:
        value: str | int | float | None = getattr(self, setting.field)
        return value

    def shown(self, setting: Setting) -> str | int | float | None:
        return printable(setting, self.value(setting))

    def ranking(self) -> "Ranking":
        """How hits are ordered. A half-life that nobody set is the profile's own."""
        from hansard.domain.ranking import Ranking
        from hansard.domain.vocabulary import Profile

        chosen = "memory.recency_half_life_days" in self.origins or self.memory_recency_half_life_days != 14.0
        return Ranking(
            profile=Profile(self.memory_profile),
            half_life_days=self.memory_recency_half_life_days if chosen else None,
            access_boost_max=self.memory_access_boost_max,
            access_recency_hours=self.memory_access_recency_hours,
            demotion_floor=self.memory_demotion_floor,
        )

    def portable(self) -> dict[str, str]:
        """What was set here and would be worth setting elsewhere: no secret, also none in an address, and not who or
        where somebody is."""
        chosen = (one for one in SETTINGS if one.name in self.origins and not one.secret and one.name not in OWN)
        return {one.name: str(self.value(one)) for one in chosen if self.shown(one) == self.value(one)}

    def origin(self, setting: Setting) -> str:
        return self.origins.get(setting.name, "default")


def load(
    *,
    flags: Mapping[str, str | None] | None = None,
    environment: Mapping[str, str] | None = None,
    project_root: Path | None = None,
    go_on: bool = False,
) -> Settings:
    """Reads all layers. Raises BadSetting for an unknown name or a value out of bounds, naming where it stands.

    With `go_on`, one wrong setting of the user or the environment is left out, and a project's file that is wrong is
    left out as a whole; `faults` says so. Who acts and on which store is never guessed, so a wrong OWN setting raises.
    """
    env = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    faults: list[str] = []

    def take(name: str, raw: object, origin: str) -> None:
        try:
            setting = known(name, origin)
            settle(values, origins, setting, converted(setting, raw, origin), origin)
        except BadSetting as error:
            if not go_on or name in OWN:
                raise
            faults.append(f"A setting was left out: {error.message}")

    user_file = user_config_path(env)
    for name, raw in read_file(user_file).items():
        take(name, raw, str(user_file))
    if project_root is not None:
        try:
            for name, value, origin in _of_project(project_root / PROJECT_CONFIG):
                settle(values, origins, known(name, origin), value, origin)
        except BadSetting as error:
            if not go_on:
                raise
            faults.append(f"The project's settings were not used: {error.message}")
    for setting in SETTINGS:
        given = env.get(setting.env)
        if given is not None and given.strip():
            take(setting.name, given, f"environment {setting.env}")
    for name, flag in (flags or {}).items():
        if flag is not None:
            take(name, flag, f"flag --{name}")
    return Settings(**values, origins=origins, faults=tuple(faults))


def settle(values: dict[str, Any], origins: dict[str, str], setting: Setting, value: Any, origin: str) -> None:
    """Takes what a layer says over what the layers below it said, if it wins."""
    if setting.name not in origins or configured.wins(setting.name, value, values[setting.field]):
        values[setting.field], origins[setting.name] = value, origin


def guarded(settings: Settings, folder: Path) -> Settings:
    """The settings, with what the guard is told by the file of the project's folder if it is stricter."""
    values: dict[str, Any] = {BY_NAME[name].field: settings.value(BY_NAME[name]) for name in configured.GUARDED}
    origins = dict(settings.origins)
    for name, value, origin in _of_project(folder / PROJECT_CONFIG):
        if name in configured.GUARDED:
            settle(values, origins, known(name, origin), value, origin)
    return settings._replace(**values, origins=origins) if origins != settings.origins else settings


def unguarded(settings: Settings) -> Settings:
    """The settings, with what the user and the environment say of the guard and no project's file."""
    own = load()
    values: dict[str, Any] = {BY_NAME[name].field: own.value(BY_NAME[name]) for name in configured.GUARDED}
    origins = {name: origin for name, origin in settings.origins.items() if name not in configured.GUARDED}
    origins |= {name: own.origins[name] for name in configured.GUARDED if name in own.origins}
    return settings._replace(**values, origins=origins)


def _of_project(file: Path) -> list[tuple[str, str | int | float, str]]:
    """Every setting of a project's file with its value, so that none is taken if one is wrong."""
    origin = str(file)
    found: list[tuple[str, str | int | float, str]] = []
    for name, raw in read_file(file).items():
        setting = known(name, origin)
        refuse_personal(setting, origin)
        found.append((name, converted(setting, raw, origin), origin))
    return found


def known(name: str, origin: str) -> Setting:
    try:
        return BY_NAME[name]
    except KeyError:
        raise BadSetting(f"{origin}: there is no setting {name!r}; see `hansard config list`.") from None


def refuse_personal(setting: Setting, origin: str) -> None:
    if setting.personal:
        raise BadSetting(f"{origin}: {setting.name} is personal; set it in your own config.yml or the environment.")


def converted(setting: Setting, raw: object, origin: str) -> str | int | float:
    """The value in the setting's type and bounds."""
    if isinstance(setting.default, int | float):
        return _number(setting, raw, origin)
    if isinstance(raw, bool) and SWITCH[0 if raw else 1] in setting.choices:
        # In YAML a bare `on` or `off` is no word.
        return SWITCH[0 if raw else 1]
    text = str(raw).strip() if isinstance(raw, str | int | float) and not isinstance(raw, bool) else ""
    if not text or not text.isprintable():
        raise BadSetting(f"{origin}: {setting.name} must be a plain word or path.")
    if setting.choices and text.lower() not in setting.choices:
        raise BadSetting(f"{origin}: {setting.name} must be one of {', '.join(setting.choices)}; {text!r} is not.")
    return text.lower() if setting.choices else text


def user_config_path(environment: Mapping[str, str]) -> Path:
    return _folder(environment, "config", ".config") / "config.yml"


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    return _folder(os.environ if environment is None else environment, "data", ".local/share")


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where to keep what can be made again at any time."""
    return _folder(os.environ if environment is None else environment, "cache", ".cache")


def _folder(environment: Mapping[str, str], kind: str, below_home: str) -> Path:
    """The folder for one kind of files: where the environment says, or where the system has it."""
    base = environment.get(f"XDG_{kind.upper()}_HOME")
    if base:
        return Path(base) / _APP
    if os.name == "posix" and os.uname().sysname == "Linux":
        return _home(environment) / below_home / _APP
    import platformdirs

    found: str = getattr(platformdirs, f"user_{kind}_dir")(_APP)
    return Path(found)


def default_database() -> str:
    return str(data_folder() / "hansard.db")


def login_name() -> str:
    """The name of the person at this machine, as the environment or the user database has it."""
    for variable in ("LOGNAME", "USER", "USERNAME"):
        name = os.environ.get(variable, "").strip()
        if name:
            return name
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (KeyError, ImportError):
        return "owner"


def _number(setting: Setting, raw: object, origin: str) -> int | float:
    whole = isinstance(setting.default, int)
    value = configured.number(raw, (setting.minimum, setting.maximum), whole=whole)
    if value is None:
        problem = f"{origin}: {setting.name} must be a {'whole ' if whole else ''}number"
        raise BadSetting(f"{problem} from {_told(setting.minimum)} to {_told(setting.maximum)}; {raw!r} is not.")
    return value


def _told(number: float | None) -> str:
    """A bound as people write it."""
    return f"{number:,.0f}" if number is not None and number == int(number) else f"{number}"


def _home(environment: Mapping[str, str]) -> Path:
    if environment.get("HOME"):
        return Path(environment["HOME"])
    import pwd

    return Path(pwd.getpwuid(os.getuid()).pw_dir)
