-- As hansard_owner, while no Hansard runs and row security is off. Run grants.sql afterwards.
BEGIN;
-- With row security on, the copy would silently be empty; this makes it an error.
SET LOCAL row_security = off;
SET LOCAL search_path = hansard;
DO $$
DECLARE
    wanted CONSTANT TEXT[] := ARRAY[
        'memories', 'memory_tags', 'units', 'vectors', 'revisions', 'events', 'retrievals', 'ratings'
    ];
    pieces CONSTANT INT := 16;
    plain CONSTANT REGCLASS[] := ARRAY(
        SELECT oid::REGCLASS FROM pg_class
        WHERE relnamespace = 'hansard'::REGNAMESPACE AND relkind = 'r' AND relname = ANY (wanted)
    );
    rebuilt TEXT[] := '{}';
    place REGCLASS;
    called TEXT;
    one RECORD;
    line TEXT;
BEGIN
    -- What belongs to the tables, as statements that make it again, in the order in which they can run.
    FOREACH place IN ARRAY plain LOOP
        rebuilt := rebuilt || ARRAY(
            SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', place, conname, pg_get_constraintdef(oid))
            FROM pg_constraint WHERE conrelid = place AND contype IN ('p', 'u') ORDER BY conname
        ) || ARRAY(
            SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
            WHERE i.indrelid = place AND NOT EXISTS (
                SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = place
            )
        ) || ARRAY(
            SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = place AND NOT tgisinternal
        );
    END LOOP;
    FOR one IN
        SELECT conrelid::REGCLASS AS referring, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
        WHERE contype = 'f' AND (conrelid = ANY (plain) OR confrelid = ANY (plain))
    LOOP
        rebuilt := rebuilt || format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.referring, one.conname, one.definition);
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.referring, one.conname);
    END LOOP;

    FOREACH place IN ARRAY plain LOOP
        SELECT relname INTO called FROM pg_class WHERE oid = place;
        EXECUTE format('ALTER TABLE %I RENAME TO %I', called, called || '_before');
        EXECUTE format(
            'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY HASH (project_id)',
            called, called || '_before'
        );
        FOR piece IN 0 .. pieces - 1 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                called || '_' || piece, called, pieces, piece
            );
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM %I', called, called || '_before');
        EXECUTE format('DROP TABLE %I', called || '_before');
    END LOOP;

    FOREACH line IN ARRAY rebuilt LOOP
        EXECUTE line;
    END LOOP;
END $$;
COMMIT;
ANALYZE hansard.memories, hansard.memory_tags, hansard.units, hansard.vectors, hansard.revisions, hansard.events,
    hansard.retrievals, hansard.ratings;
