-- Whether a run recorded words from outside, and by what the same words of a proposal are known again. Nothing compares
-- other texts with what their author brought from outside any more.

ALTER TABLE runs ADD COLUMN tainted INTEGER NOT NULL DEFAULT 0 CHECK (tainted IN (0, 1));
ALTER TABLE sessions ADD COLUMN origin TEXT;
ALTER TABLE inbox ADD COLUMN digest INTEGER;
CREATE INDEX inbox_by_digest ON inbox (digest) WHERE digest IS NOT NULL;
DROP INDEX IF EXISTS memories_outside;

UPDATE runs SET tainted = 1 WHERE EXISTS (
    SELECT 1 FROM memories m WHERE m.project_id = runs.project_id AND m.run_id = runs.id
        AND m.origin IN ('tool_output', 'imported_file', 'extraction', 'external')
) OR EXISTS (
    SELECT 1 FROM inbox e WHERE e.project_id = runs.project_id AND e.run_id = runs.id
        AND e.origin IN ('tool_output', 'imported_file', 'extraction', 'external')
);
