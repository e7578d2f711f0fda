-- The governed ledger: projects, names, proposals, decisions, memories, sessions, runs, their earlier versions,
-- and the chain of events. Times are microseconds since 1970 in UTC; lists are JSON arrays.

CREATE TABLE projects (
    id TEXT COLLATE "C" PRIMARY KEY,
    key TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE project_roots (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    machine TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, machine, path)
);
CREATE INDEX project_roots_by_path ON project_roots (machine, path);

-- One row a project: where its chain ends, the numbers given out, and whether forgotten bytes may still be in the
-- file. Writers of a project meet here.
CREATE TABLE heads (
    project_id TEXT COLLATE "C" PRIMARY KEY REFERENCES projects (id),
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    at BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    decisions BIGINT NOT NULL,
    erasing BIGINT NOT NULL DEFAULT 0,
    memories BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE actors (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    key TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, key)
);

CREATE TABLE runs (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    agent_key TEXT COLLATE "C" NOT NULL,
    parent_id TEXT COLLATE "C",
    task TEXT COLLATE "C",
    task_type TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" CHECK (outcome IN ('completed', 'failed', 'declined')),
    reason TEXT COLLATE "C",
    version BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    updated_at BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, parent_id) REFERENCES runs (project_id, id) DEFERRABLE,
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
);
CREATE INDEX runs_by_agent ON runs (project_id, agent_key, id);
CREATE INDEX runs_open ON runs (project_id, id) WHERE ended_at IS NULL;

CREATE TABLE decisions (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL CHECK (type IN ('architectural', 'scope', 'process', 'technical', 'learning', 'pattern', 'update')),
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    rationale TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL,
    applies_to TEXT COLLATE "C" NOT NULL,
    author_key TEXT COLLATE "C" NOT NULL,
    decided_by_key TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'superseded', 'archived')),
    superseded_by TEXT COLLATE "C",
    entry_id TEXT COLLATE "C",
    run_id TEXT COLLATE "C",
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, number),
    FOREIGN KEY (project_id, author_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, decided_by_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, superseded_by) REFERENCES decisions (project_id, id) DEFERRABLE,
    CHECK ((status = 'superseded') = (superseded_by IS NOT NULL))
);
CREATE INDEX decisions_by_status ON decisions (project_id, status, type, id);

CREATE TABLE inbox (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    requested_slug TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL CHECK (type IN ('architectural', 'scope', 'process', 'technical', 'learning', 'pattern', 'update')),
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    rationale TEXT COLLATE "C",
    importance TEXT COLLATE "C" CHECK (importance IN ('high', 'medium', 'low')),
    tags TEXT COLLATE "C" NOT NULL,
    author_key TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'merged', 'rejected')),
    reviewer_key TEXT COLLATE "C",
    note TEXT COLLATE "C",
    reviewed_at BIGINT,
    decision_id TEXT COLLATE "C",
    memory_id TEXT COLLATE "C",
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    salt BYTEA NOT NULL,
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
);
CREATE INDEX inbox_by_status ON inbox (project_id, status, id);
CREATE INDEX inbox_by_run ON inbox (project_id, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE memories (
    seq BIGINT NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    agent_key TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL CHECK (type IN ('core_context', 'learning', 'pattern', 'update')),
    importance TEXT COLLATE "C" NOT NULL CHECK (importance IN ('high', 'medium', 'low')),
    scope TEXT COLLATE "C" NOT NULL CHECK (scope IN ('agent', 'team')),
    source TEXT COLLATE "C" NOT NULL CHECK (source IN ('manual', 'file_index', 'session_summary', 'task_completion', 'extraction')),
    content TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C",
    citations TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" CHECK (kind IN ('user', 'feedback', 'project', 'reference')),
    subject TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    source_ref TEXT COLLATE "C",
    position BIGINT,
    run_id TEXT COLLATE "C",
    session_id TEXT COLLATE "C",
    entry_id TEXT COLLATE "C",
    decision_id TEXT COLLATE "C",
    expires_at BIGINT,
    forgotten_at BIGINT,
    access_count BIGINT NOT NULL,
    accessed_at BIGINT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    salt BYTEA,
    PRIMARY KEY (project_id, seq),
    UNIQUE (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, run_id) REFERENCES runs (project_id, id),
    CHECK ((forgotten_at IS NULL) = (salt IS NOT NULL))
);
CREATE INDEX memories_core ON memories (project_id, agent_key, id)
    WHERE forgotten_at IS NULL AND type = 'core_context';
CREATE INDEX memories_high ON memories (project_id, id)
    WHERE forgotten_at IS NULL AND importance = 'high';
CREATE INDEX memories_by_run ON memories (project_id, run_id) WHERE run_id IS NOT NULL;

CREATE TABLE memory_tags (
    project_id TEXT COLLATE "C" NOT NULL,
    tag TEXT COLLATE "C" NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, tag, memory_id),
    FOREIGN KEY (project_id, memory_id) REFERENCES memories (project_id, id)
);
CREATE INDEX memory_tags_by_memory ON memory_tags (project_id, memory_id);

CREATE TABLE sessions (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    focus TEXT COLLATE "C" NOT NULL,
    issues TEXT COLLATE "C" NOT NULL,
    summary TEXT COLLATE "C",
    state TEXT COLLATE "C",
    opened_by_key TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    version BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    updated_at BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, opened_by_key) REFERENCES actors (project_id, key),
    FOREIGN KEY (project_id, run_id) REFERENCES runs (project_id, id)
);
CREATE UNIQUE INDEX sessions_one_open ON sessions (project_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_start ON sessions (project_id, started_at, id);

CREATE TABLE revisions (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    subject TEXT COLLATE "C" NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    valid_from BIGINT NOT NULL,
    valid_until BIGINT NOT NULL,
    changed_by_key TEXT COLLATE "C" NOT NULL,
    body JSON NOT NULL,
    PRIMARY KEY (project_id, subject, subject_id, version)
);

CREATE TABLE events (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor_key TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    subject_id TEXT COLLATE "C" NOT NULL,
    before_hash BYTEA,
    after_hash BYTEA,
    details TEXT COLLATE "C" NOT NULL,
    previous_hash BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (project_id, seq)
);
CREATE INDEX events_by_subject ON events (project_id, subject_id, seq);

-- What a list filters by: letters of any script without their case, as far as the server knows them.
DO $$
DECLARE
    best TEXT := (SELECT max(collname) FROM pg_collation WHERE collname IN ('pg_unicode_fast', 'pg_c_utf8'));
BEGIN
    EXECUTE format(
        'CREATE FUNCTION fold(TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE'
        ' RETURN lower($1 COLLATE %I)', coalesce(best, 'default'));
END $$;

CREATE FUNCTION elements(TEXT) RETURNS SETOF TEXT LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN QUERY SELECT json_array_elements_text($1::json);
EXCEPTION WHEN data_exception THEN
    RETURN;
END $$;

CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('ledger events are never changed');
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('ledger events are never deleted');
CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse('ledger events are never deleted');
CREATE TRIGGER inbox_is_never_deleted BEFORE DELETE ON inbox
FOR EACH ROW EXECUTE FUNCTION refuse('inbox entries are never deleted');
CREATE TRIGGER inbox_is_never_emptied BEFORE TRUNCATE ON inbox
FOR EACH STATEMENT EXECUTE FUNCTION refuse('inbox entries are never deleted');
CREATE TRIGGER inbox_is_never_reopened BEFORE UPDATE OF status ON inbox
FOR EACH ROW WHEN (OLD.status <> 'pending' AND NEW.status <> OLD.status)
EXECUTE FUNCTION refuse('a reviewed entry is never reopened');
