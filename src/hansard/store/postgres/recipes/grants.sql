-- As hansard_owner, after the first migration and after every upgrade.
BEGIN;
REVOKE ALL ON ALL TABLES IN SCHEMA hansard FROM hansard_app;
GRANT USAGE ON SCHEMA hansard TO hansard_app;
GRANT SELECT ON ALL TABLES IN SCHEMA hansard TO hansard_app;
GRANT INSERT ON
    hansard.projects, hansard.project_roots, hansard.heads, hansard.actors, hansard.runs, hansard.decisions,
    hansard.inbox, hansard.memories, hansard.memory_tags, hansard.sessions, hansard.revisions, hansard.events,
    hansard.models, hansard.units, hansard.vectors, hansard.retrievals, hansard.ratings, hansard.jobs, hansard.receipts,
    hansard.allowances, hansard.write_counts, hansard.tokens, hansard.idempotency_keys
TO hansard_app;
GRANT UPDATE ON
    hansard.heads, hansard.runs, hansard.decisions, hansard.inbox, hansard.memories, hansard.sessions, hansard.units,
    hansard.vectors, hansard.retrievals, hansard.ratings, hansard.jobs, hansard.receipts,
    hansard.write_counts, hansard.tokens, hansard.idempotency_keys
TO hansard_app;
-- Clones agree on one spelling of a name; nothing else of it changes.
GRANT UPDATE (name) ON hansard.actors TO hansard_app;
GRANT DELETE ON
    hansard.memory_tags, hansard.revisions, hansard.units, hansard.vectors, hansard.retrievals, hansard.receipts,
    hansard.allowances, hansard.idempotency_keys
TO hansard_app;
-- To clean up after forgetting, in partitions too. Before PostgreSQL 17 only the owner can.
DO $$
DECLARE
    place REGCLASS;
BEGIN
    IF current_setting('server_version_num')::INT >= 170000 THEN
        FOR place IN
            SELECT c.oid FROM pg_class c
            LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
            LEFT JOIN pg_class whole ON whole.oid = i.inhparent
            WHERE c.relnamespace = 'hansard'::REGNAMESPACE AND c.relkind IN ('r', 'p')
                AND coalesce(whole.relname, c.relname) IN
                    ('memories', 'memory_tags', 'units', 'vectors', 'revisions', 'inbox', 'decisions', 'runs',
                     'retrievals', 'ratings', 'receipts', 'sessions', 'jobs', 'idempotency_keys')
        LOOP
            EXECUTE format('GRANT MAINTAIN ON %s TO hansard_app', place);
        END LOOP;
    END IF;
END $$;
COMMIT;
