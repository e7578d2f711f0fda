-- Receipts that somebody asked to keep: what a block was made of, never its words.

CREATE TABLE receipts (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id TEXT COLLATE "C" NOT NULL,
    agent_key TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    ledger_seq BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, agent_key) REFERENCES actors (project_id, key)
);
CREATE INDEX receipts_by_agent ON receipts (project_id, agent_key, id);
CREATE INDEX receipts_by_time ON receipts (project_id, at);
