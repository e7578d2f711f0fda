-- Receipts that somebody asked to keep: what a block was made of, never its words.

CREATE TABLE receipts (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    agent_key TEXT NOT NULL,
    mode TEXT NOT NULL,
    at INTEGER NOT NULL,
    ledger_seq INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_by_agent ON receipts (project_id, agent_key, id);
CREATE INDEX receipts_by_time ON receipts (project_id, at);
