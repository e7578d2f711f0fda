-- What the server keeps: who may call it, and what it answered to requests that may come again.

-- One row for each project that a token opens. Of its text only a digest is kept. The empty project stands for all of
-- them, also those that are made later, so the column refers to nothing.
CREATE TABLE tokens (
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    digest BLOB NOT NULL,
    agent TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role = 'human' OR role = 'coordinator' OR role = 'agent' OR role = 'service'),
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    PRIMARY KEY (project_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_digest ON tokens (digest);

-- The answer to a request with an Idempotency-Key, so that the same request again is answered and not done twice.
-- Without a status the request is still being worked on. The empty project stands for requests about none.
CREATE TABLE idempotency_keys (
    project_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    started_at INTEGER NOT NULL,
    status INTEGER,
    headers TEXT,
    body BLOB,
    PRIMARY KEY (project_id, caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_started ON idempotency_keys (project_id, started_at);
