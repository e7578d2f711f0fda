-- What recall needs: the terms of every unit, vectors by model, what was surfaced, and how it was rated.

ALTER TABLE memories ADD COLUMN occurred_at INTEGER;
ALTER TABLE memories ADD COLUMN digest INTEGER;
ALTER TABLE memories ADD COLUMN alpha REAL NOT NULL DEFAULT 1.0;
ALTER TABLE memories ADD COLUMN beta REAL NOT NULL DEFAULT 1.0;
CREATE INDEX memories_by_digest ON memories (digest) WHERE digest IS NOT NULL;
CREATE INDEX memories_by_file ON memories (project_id, source_ref, position)
    WHERE source = 'file_index' AND forgotten_at IS NULL;

-- `stamp` numbers the changes of a project's index; `model_id` is the model its searches use.
ALTER TABLE heads ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
ALTER TABLE heads ADD COLUMN model_id INTEGER;
-- The first memory whose units are still to be made, or nothing if all are.
ALTER TABLE heads ADD COLUMN unindexed_from INTEGER;

CREATE TABLE models (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    revision TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name, revision, dimensions)
) STRICT, WITHOUT ROWID;

-- A unit is a piece of a memory. Chunk -1 says that the memory has left the index.
CREATE TABLE units (
    project_id TEXT NOT NULL REFERENCES projects (id),
    memory_seq INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    terms BLOB NOT NULL,
    dates BLOB NOT NULL,
    PRIMARY KEY (project_id, memory_seq, chunk)
) STRICT, WITHOUT ROWID;
CREATE INDEX units_by_stamp ON units (project_id, stamp);

CREATE TABLE vectors (
    project_id TEXT NOT NULL REFERENCES projects (id),
    model_id INTEGER NOT NULL,
    memory_seq INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (project_id, model_id, memory_seq, chunk),
    FOREIGN KEY (project_id, model_id) REFERENCES models (project_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE retrievals (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    rank INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    run_id TEXT,
    task TEXT,
    kind TEXT NOT NULL CHECK (kind = 'search' OR kind = 'get'),
    relevance REAL NOT NULL,
    score REAL NOT NULL,
    shown INTEGER NOT NULL CHECK (shown = 0 OR shown = 1),
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX retrievals_by_memory ON retrievals (project_id, memory_id, at);
CREATE INDEX retrievals_by_time ON retrievals (project_id, at);

CREATE TABLE ratings (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    run_id TEXT,
    signal REAL NOT NULL,
    weight REAL NOT NULL,
    note TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX ratings_once_a_run ON ratings (project_id, run_id, memory_id, agent_key) WHERE run_id IS NOT NULL;
CREATE INDEX ratings_by_memory ON ratings (project_id, memory_id, at);
