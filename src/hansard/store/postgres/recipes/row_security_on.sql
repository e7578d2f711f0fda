-- As hansard_owner. Run it again after every upgrade: a new table has no policy yet.
DO $$
DECLARE
    place REGCLASS;
BEGIN
    FOR place IN
        SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id'
        WHERE c.relnamespace = 'hansard'::REGNAMESPACE AND c.relkind IN ('r', 'p') AND c.relname <> 'project_roots'
    LOOP
        IF NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = place AND polname = 'one_project') THEN
            EXECUTE format(
                'CREATE POLICY one_project ON %s USING (project_id = current_setting(%L, true))', place,
                'hansard.project'
            );
        END IF;
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', place);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', place);
    END LOOP;
END $$;
