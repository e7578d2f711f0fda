-- The governed ledger: projects, names, proposals, decisions, memories, sessions, runs, their earlier versions,
-- and the chain of events. Times are microseconds since 1970 in UTC; lists are JSON arrays.

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project_roots (
    project_id TEXT NOT NULL REFERENCES projects (id),
    machine TEXT NOT NULL,
    path TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, machine, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_roots_by_path ON project_roots (machine, path);

-- One row a project: where its chain ends, the numbers given out, and whether forgotten bytes may still be in the
-- file. Writers of a project meet here.
CREATE TABLE heads (
    project_id TEXT PRIMARY KEY REFERENCES projects (id),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    at INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    erasing INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE actors (
    project_id TEXT NOT NULL REFERENCES projects (id),
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    parent_id TEXT,
    task TEXT,
    task_type TEXT,
    tags TEXT NOT NULL,
    outcome TEXT CHECK (outcome IN ('completed', 'failed', 'declined')),
    reason TEXT,
    version INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    updated_at INTEGER NOT NULL,
    salt BLOB NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, parent_id) REFERENCES runs (project_id, id),
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_agent ON runs (project_id, agent_key, id);
CREATE INDEX runs_open ON runs (project_id, id) WHERE ended_at IS NULL;

CREATE TABLE decisions (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('architectural', 'scope', 'process', 'technical', 'learning', 'pattern', 'update')),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    rationale TEXT,
    tags TEXT NOT NULL,
    applies_to TEXT NOT NULL,
    author_key TEXT NOT NULL,
    decided_by_key TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'archived')),
    superseded_by TEXT,
    entry_id TEXT,
    run_id TEXT,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    salt BLOB NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, number),
    FOREIGN KEY (project_id, author_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, decided_by_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, superseded_by) REFERENCES decisions (project_id, id),
    CHECK ((status = 'superseded') = (superseded_by IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_status ON decisions (project_id, status, type, id);

CREATE TABLE inbox (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    slug TEXT NOT NULL,
    requested_slug TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('architectural', 'scope', 'process', 'technical', 'learning', 'pattern', 'update')),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    rationale TEXT,
    importance TEXT CHECK (importance IN ('high', 'medium', 'low')),
    tags TEXT NOT NULL,
    author_key TEXT NOT NULL,
    run_id TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'merged', 'rejected')),
    reviewer_key TEXT,
    note TEXT,
    reviewed_at INTEGER,
    decision_id TEXT,
    memory_id TEXT,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    salt BLOB NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, number),
    UNIQUE (project_id, slug),
    UNIQUE (project_id, author_key, requested_slug),
    FOREIGN KEY (project_id, author_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, reviewer_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, run_id) REFERENCES runs (project_id, id),
    FOREIGN KEY (project_id, decision_id) REFERENCES decisions (project_id, id),
    CHECK ((status = 'pending') = (reviewer_key IS NULL)),
    CHECK ((status = 'merged') = (decision_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_status ON inbox (project_id, status, id);
CREATE INDEX inbox_by_run ON inbox (project_id, run_id) WHERE run_id IS NOT NULL;

-- Written by the ten thousand: a check with IN builds a list for every row, which cost a third of the insert.
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type = 'core_context' OR type = 'learning' OR type = 'pattern' OR type = 'update'),
    importance TEXT NOT NULL CHECK (importance = 'high' OR importance = 'medium' OR importance = 'low'),
    scope TEXT NOT NULL CHECK (scope = 'agent' OR scope = 'team'),
    source TEXT NOT NULL CHECK (source = 'manual' OR source = 'file_index' OR source = 'session_summary'
        OR source = 'task_completion' OR source = 'extraction'),
    content TEXT NOT NULL,
    name TEXT,
    tags TEXT NOT NULL,
    category TEXT,
    citations TEXT NOT NULL,
    kind TEXT CHECK (kind = 'user' OR kind = 'feedback' OR kind = 'project' OR kind = 'reference'),
    subject TEXT,
    reason TEXT,
    source_ref TEXT,
    position INTEGER,
    run_id TEXT,
    session_id TEXT,
    entry_id TEXT,
    decision_id TEXT,
    expires_at INTEGER,
    forgotten_at INTEGER,
    access_count INTEGER NOT NULL,
    accessed_at INTEGER,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    salt BLOB,
    UNIQUE (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, run_id) REFERENCES runs (project_id, id),
    CHECK ((forgotten_at IS NULL) = (salt IS NOT NULL))
) STRICT;
CREATE INDEX memories_core ON memories (project_id, agent_key, id)
    WHERE forgotten_at IS NULL AND type = 'core_context';
CREATE INDEX memories_high ON memories (project_id, id)
    WHERE forgotten_at IS NULL AND importance = 'high';
CREATE INDEX memories_by_run ON memories (project_id, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE memory_tags (
    project_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    PRIMARY KEY (project_id, tag, memory_id),
    FOREIGN KEY (project_id, memory_id) REFERENCES memories (project_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tags_by_memory ON memory_tags (project_id, memory_id);

CREATE TABLE sessions (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    focus TEXT NOT NULL,
    issues TEXT NOT NULL,
    summary TEXT,
    state TEXT,
    opened_by_key TEXT NOT NULL,
    run_id TEXT,
    version INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    updated_at INTEGER NOT NULL,
    salt BLOB NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, opened_by_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, run_id) REFERENCES runs (project_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_one_open ON sessions (project_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_start ON sessions (project_id, started_at, id);

CREATE TABLE revisions (
    project_id TEXT NOT NULL REFERENCES projects (id),
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_until INTEGER NOT NULL,
    changed_by_key TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (project_id, subject, subject_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    project_id TEXT NOT NULL REFERENCES projects (id),
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor_key TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    before_hash BLOB,
    after_hash BLOB,
    details TEXT NOT NULL,
    previous_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (project_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_subject ON events (subject_id, seq);

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE (ABORT, 'ledger events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE (ABORT, 'ledger events are never deleted'); END;
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
WHEN NEW.seq <= (SELECT seq FROM heads WHERE project_id = NEW.project_id)
BEGIN SELECT RAISE (ABORT, 'ledger events are never changed'); END;
CREATE TRIGGER inbox_is_never_deleted BEFORE DELETE ON inbox
BEGIN SELECT RAISE (ABORT, 'inbox entries are never deleted'); END;
CREATE TRIGGER inbox_is_never_replaced BEFORE INSERT ON inbox
WHEN EXISTS (SELECT 1 FROM inbox WHERE project_id = NEW.project_id AND (id = NEW.id OR slug = NEW.slug OR number = NEW.number))
BEGIN SELECT RAISE (ABORT, 'inbox entries are never replaced'); END;
CREATE TRIGGER inbox_is_never_reopened BEFORE UPDATE OF status ON inbox
WHEN OLD.status <> 'pending' AND NEW.status <> OLD.status
BEGIN SELECT RAISE (ABORT, 'a reviewed entry is never reopened'); END;
