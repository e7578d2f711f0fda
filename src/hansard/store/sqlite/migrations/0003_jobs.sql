-- Work that goes on beside the record: how far it is, who is at it just now, and how it failed last.

CREATE TABLE jobs (
    project_id TEXT NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    done_position INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL DEFAULT 0,
    holder TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    failed_at INTEGER,
    error TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, kind, subject),
    CHECK ((failed_at IS NULL) = (error IS NULL))
) STRICT, WITHOUT ROWID;
