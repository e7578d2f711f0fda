-- As an administrator, where another role made the schema: gives all of it to the owner. Another name: -v owner=NAME
\if :{?owner}
\else
    \set owner hansard_owner
\endif
BEGIN;
-- The schema first: nobody can own a table in a schema where he may make none.
ALTER SCHEMA hansard OWNER TO :"owner";
SELECT format('ALTER TABLE %s OWNER TO %I', oid::REGCLASS, :'owner') FROM pg_class
WHERE relnamespace = 'hansard'::REGNAMESPACE AND relkind IN ('r', 'p')
UNION ALL
SELECT format('ALTER FUNCTION %s OWNER TO %I', oid::REGPROCEDURE, :'owner') FROM pg_proc
WHERE pronamespace = 'hansard'::REGNAMESPACE
\gexec
COMMIT;
