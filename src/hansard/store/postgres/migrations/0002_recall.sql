-- What recall needs: the terms of every unit, vectors by model, what was surfaced, and how it was rated.

ALTER TABLE memories ADD COLUMN occurred_at BIGINT;
ALTER TABLE memories ADD COLUMN digest BIGINT;
ALTER TABLE memories ADD COLUMN alpha DOUBLE PRECISION NOT NULL DEFAULT 1.0;
ALTER TABLE memories ADD COLUMN beta DOUBLE PRECISION NOT NULL DEFAULT 1.0;
CREATE INDEX memories_by_digest ON memories (project_id, digest) WHERE digest IS NOT NULL;
CREATE INDEX memories_by_file ON memories (project_id, source_ref, position)
    WHERE source = 'file_index' AND forgotten_at IS NULL;

-- `stamp` numbers the changes of a project's index; `model_id` is the model its searches use.
ALTER TABLE heads ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;
ALTER TABLE heads ADD COLUMN model_id BIGINT;
-- The first memory whose units are still to be made, or nothing if all are.
ALTER TABLE heads ADD COLUMN unindexed_from BIGINT;

CREATE TABLE models (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    revision TEXT COLLATE "C" NOT NULL,
    dimensions BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name, revision, dimensions)
);

-- A unit is a piece of a memory. Chunk -1 says that the memory has left the index.
CREATE TABLE units (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    memory_seq BIGINT NOT NULL,
    chunk BIGINT NOT NULL,
    stamp BIGINT NOT NULL,
    flags BIGINT NOT NULL,
    terms BYTEA NOT NULL,
    dates BYTEA NOT NULL,
    PRIMARY KEY (project_id, memory_seq, chunk)
);
CREATE INDEX units_by_stamp ON units (project_id, stamp);

CREATE TABLE vectors (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    model_id BIGINT NOT NULL,
    memory_seq BIGINT NOT NULL,
    chunk BIGINT NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (project_id, model_id, memory_seq, chunk),
    FOREIGN KEY (project_id, model_id) REFERENCES models (project_id, id)
);

CREATE TABLE retrievals (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    rank BIGINT NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    agent_key TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    task TEXT COLLATE "C",
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('search', 'get')),
    relevance DOUBLE PRECISION NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    shown BIGINT NOT NULL CHECK (shown IN (0, 1)),
    at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id, rank)
);
CREATE INDEX retrievals_by_memory ON retrievals (project_id, memory_id, at);
CREATE INDEX retrievals_by_time ON retrievals (project_id, at);

CREATE TABLE ratings (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    memory_id TEXT COLLATE "C" NOT NULL,
    agent_key TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    signal DOUBLE PRECISION NOT NULL,
    weight DOUBLE PRECISION NOT NULL,
    note TEXT COLLATE "C",
    at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX ratings_once_a_run ON ratings (project_id, run_id, memory_id, agent_key) WHERE run_id IS NOT NULL;
CREATE INDEX ratings_by_memory ON ratings (project_id, memory_id, at);
