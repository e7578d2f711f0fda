-- Each key of an entry is looked up by its own index: with one condition of three parts, an insert read all entries.

DROP TRIGGER inbox_is_never_replaced;
CREATE TRIGGER inbox_is_never_replaced BEFORE INSERT ON inbox
WHEN EXISTS (SELECT 1 FROM inbox WHERE project_id = NEW.project_id AND id = NEW.id)
    OR EXISTS (SELECT 1 FROM inbox WHERE project_id = NEW.project_id AND slug = NEW.slug)
    OR EXISTS (SELECT 1 FROM inbox WHERE project_id = NEW.project_id AND number = NEW.number)
BEGIN SELECT RAISE (ABORT, 'inbox entries are never replaced'); END;
