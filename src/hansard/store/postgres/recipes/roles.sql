-- As an administrator, once, in the database that Hansard gets for itself.
DO $$
DECLARE
    wanted TEXT;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['hansard_owner', 'hansard_app'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
    END LOOP;
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO hansard_owner', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO hansard_app', current_database());
END $$;
