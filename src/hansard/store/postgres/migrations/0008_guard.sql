-- Where a memory or a proposal comes from, and what waits for a reviewer: text that may instruct whoever reads it.
-- What is not set was written before there was a guard, or needs no review.

ALTER TABLE memories ADD COLUMN origin TEXT COLLATE "C"
    CHECK (origin IN ('human', 'agent', 'tool_output', 'imported_file', 'extraction', 'external'));
ALTER TABLE memories ADD COLUMN quarantined_at BIGINT;
ALTER TABLE memories ADD COLUMN signs TEXT COLLATE "C";
ALTER TABLE memories ADD COLUMN cleared TEXT COLLATE "C" CHECK (cleared IN ('released', 'confirmed'));
CREATE INDEX memories_quarantined ON memories (project_id, id) WHERE quarantined_at IS NOT NULL;

ALTER TABLE inbox ADD COLUMN origin TEXT COLLATE "C"
    CHECK (origin IN ('human', 'agent', 'tool_output', 'imported_file', 'extraction', 'external'));
ALTER TABLE inbox ADD COLUMN quarantined_at BIGINT;
ALTER TABLE inbox ADD COLUMN signs TEXT COLLATE "C";
ALTER TABLE inbox ADD COLUMN cleared TEXT COLLATE "C" CHECK (cleared IN ('released', 'confirmed'));
CREATE INDEX inbox_quarantined ON inbox (project_id, id) WHERE quarantined_at IS NOT NULL;

-- What a person said is no secret, although it looks like one: enough to know the value again, never the value.
CREATE TABLE allowances (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    salt BYTEA NOT NULL,
    digest BYTEA NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    allowed_by_key TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, allowed_by_key) REFERENCES actors (project_id, key)
);

-- How often each agent wrote in the minute it last wrote in.
CREATE TABLE write_counts (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    agent_key TEXT COLLATE "C" NOT NULL,
    minute BIGINT NOT NULL,
    writes BIGINT NOT NULL,
    PRIMARY KEY (project_id, agent_key)
);
