-- As hansard_owner, after the first migration and after every upgrade. Another name: -v app=NAME
\if :{?app}
\else
    \set app hansard_app
\endif
BEGIN;
REVOKE ALL ON ALL TABLES IN SCHEMA hansard FROM :"app";
GRANT USAGE ON SCHEMA hansard TO :"app";
GRANT SELECT ON ALL TABLES IN SCHEMA hansard TO :"app";
GRANT INSERT ON
    hansard.projects, hansard.project_roots, hansard.heads, hansard.actors, hansard.runs, hansard.decisions,
    hansard.inbox, hansard.memories, hansard.memory_tags, hansard.sessions, hansard.revisions, hansard.events,
    hansard.models, hansard.units, hansard.vectors, hansard.retrievals, hansard.ratings, hansard.jobs, hansard.receipts,
    hansard.allowances, hansard.write_counts, hansard.tokens, hansard.idempotency_keys
TO :"app";
GRANT UPDATE ON
    hansard.heads, hansard.runs, hansard.decisions, hansard.inbox, hansard.memories, hansard.sessions, hansard.units,
    hansard.vectors, hansard.retrievals, hansard.ratings, hansard.jobs, hansard.receipts,
    hansard.write_counts, hansard.tokens, hansard.idempotency_keys
TO :"app";
-- Clones agree on one spelling of a name; nothing else of it changes.
GRANT UPDATE (name) ON hansard.actors TO :"app";
GRANT DELETE ON
    hansard.memory_tags, hansard.revisions, hansard.units, hansard.vectors, hansard.retrievals, hansard.receipts,
    hansard.allowances, hansard.idempotency_keys
TO :"app";
-- To clean up after forgetting, in partitions too. Before PostgreSQL 17 only the owner can.
SELECT format('GRANT MAINTAIN ON %s TO %I', c.oid::REGCLASS, :'app') FROM pg_class c
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
LEFT JOIN pg_class whole ON whole.oid = i.inhparent
WHERE current_setting('server_version_num')::INT >= 170000
    AND c.relnamespace = 'hansard'::REGNAMESPACE AND c.relkind IN ('r', 'p')
    AND coalesce(whole.relname, c.relname) IN
        ('memories', 'memory_tags', 'units', 'vectors', 'revisions', 'inbox', 'decisions', 'runs',
         'retrievals', 'ratings', 'receipts', 'sessions', 'jobs', 'idempotency_keys')
\gexec
COMMIT;
