-- As an administrator, once, in the database that Hansard gets for itself. Other names: -v owner=NAME -v app=NAME
\if :{?owner}
\else
    \set owner hansard_owner
\endif
\if :{?app}
\else
    \set app hansard_app
\endif
BEGIN;
SELECT format('CREATE ROLE %I LOGIN', wanted) FROM unnest(ARRAY[:'owner', :'app']) AS wanted
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted)
\gexec
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT, CREATE ON DATABASE :"DBNAME" TO :"owner";
GRANT CONNECT ON DATABASE :"DBNAME" TO :"app";
COMMIT;
