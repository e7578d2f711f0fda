-- Two clones may review one proposal differently. Then the acceptance stands: it made a decision. Nothing is reopened.

DROP TRIGGER inbox_is_never_reopened;
CREATE TRIGGER inbox_is_never_reopened BEFORE UPDATE OF status ON inbox
WHEN OLD.status <> 'pending' AND NEW.status <> OLD.status AND NEW.status <> 'merged'
BEGIN SELECT RAISE (ABORT, 'a reviewed entry is never reopened'); END;
