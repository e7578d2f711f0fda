-- What a context block showed is in the log of what was surfaced, apart from searches.

CREATE TABLE retrievals_with_context (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    rank INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    run_id TEXT,
    task TEXT,
    kind TEXT NOT NULL CHECK (kind = 'search' OR kind = 'get' OR kind = 'context'),
    relevance REAL NOT NULL,
    score REAL NOT NULL,
    shown INTEGER NOT NULL CHECK (shown = 0 OR shown = 1),
    at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id, rank)
) STRICT, WITHOUT ROWID;
INSERT INTO retrievals_with_context SELECT * FROM retrievals;
DROP TABLE retrievals;
ALTER TABLE retrievals_with_context RENAME TO retrievals;
CREATE INDEX retrievals_by_memory ON retrievals (project_id, memory_id, at);
CREATE INDEX retrievals_by_time ON retrievals (project_id, at);
