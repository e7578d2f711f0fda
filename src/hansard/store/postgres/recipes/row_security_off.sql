-- As hansard_owner.
DO $$
DECLARE
    place REGCLASS;
BEGIN
    FOR place IN
        SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'hansard'::REGNAMESPACE AND c.relkind IN ('r', 'p') AND c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', place);
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', place);
        EXECUTE format('DROP POLICY IF EXISTS one_project ON %s', place);
    END LOOP;
END $$;
