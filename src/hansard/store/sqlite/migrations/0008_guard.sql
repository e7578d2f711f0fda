-- Where a memory or a proposal comes from, and what waits for a reviewer: text that may instruct whoever reads it.
-- What is not set was written before there was a guard, or needs no review.

ALTER TABLE memories ADD COLUMN origin TEXT CHECK (origin = 'human' OR origin = 'agent' OR origin = 'tool_output' OR origin = 'imported_file'
    OR origin = 'extraction' OR origin = 'external');
ALTER TABLE memories ADD COLUMN quarantined_at INTEGER;
ALTER TABLE memories ADD COLUMN signs TEXT;
ALTER TABLE memories ADD COLUMN cleared TEXT CHECK (cleared = 'released' OR cleared = 'confirmed');
CREATE INDEX memories_quarantined ON memories (project_id, id) WHERE quarantined_at IS NOT NULL;

ALTER TABLE inbox ADD COLUMN origin TEXT CHECK (origin = 'human' OR origin = 'agent' OR origin = 'tool_output' OR origin = 'imported_file'
    OR origin = 'extraction' OR origin = 'external');
ALTER TABLE inbox ADD COLUMN quarantined_at INTEGER;
ALTER TABLE inbox ADD COLUMN signs TEXT;
ALTER TABLE inbox ADD COLUMN cleared TEXT CHECK (cleared = 'released' OR cleared = 'confirmed');
CREATE INDEX inbox_quarantined ON inbox (project_id, id) WHERE quarantined_at IS NOT NULL;

-- What a person said is no secret, although it looks like one: enough to know the value again, never the value.
CREATE TABLE allowances (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    reason TEXT NOT NULL,
    allowed_by_key TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, allowed_by_key) REFERENCES actors (project_id, key)
) STRICT, WITHOUT ROWID;

-- How often each agent wrote in the minute it last wrote in.
CREATE TABLE write_counts (
    project_id TEXT NOT NULL REFERENCES projects (id),
    agent_key TEXT NOT NULL,
    minute INTEGER NOT NULL,
    writes INTEGER NOT NULL,
    PRIMARY KEY (project_id, agent_key)
) STRICT, WITHOUT ROWID;
