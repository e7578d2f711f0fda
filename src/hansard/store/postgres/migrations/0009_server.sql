-- What the server keeps: who may call it, and what it answered to requests that may come again.

-- One row for each project that a token opens. Of its text only a digest is kept. The empty project stands for all of
-- them, also those that are made later, so the column refers to nothing.
CREATE TABLE tokens (
    project_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('human', 'coordinator', 'agent', 'service')),
    created_by TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX tokens_digest ON tokens (digest);

-- The answer to a request with an Idempotency-Key, so that the same request again is answered and not done twice.
-- Without a status the request is still being worked on. The empty project stands for requests about none.
CREATE TABLE idempotency_keys (
    project_id TEXT COLLATE "C" NOT NULL,
    caller TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    started_at BIGINT NOT NULL,
    status BIGINT,
    headers TEXT COLLATE "C",
    body BYTEA,
    PRIMARY KEY (project_id, caller, key)
);
CREATE INDEX idempotency_keys_started ON idempotency_keys (project_id, started_at);
