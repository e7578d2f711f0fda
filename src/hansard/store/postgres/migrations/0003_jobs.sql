-- Work that goes on beside the record: how far it is, who is at it just now, and how it failed last.

CREATE TABLE jobs (
    project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    done_position BIGINT NOT NULL DEFAULT 0,
    token BIGINT NOT NULL DEFAULT 0,
    holder TEXT COLLATE "C",
    lease_until BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    failed_at BIGINT,
    error TEXT COLLATE "C",
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, kind, subject),
    CHECK ((failed_at IS NULL) = (error IS NULL))
);
