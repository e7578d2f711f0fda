-- Nothing compares texts with what their author brought from outside any more.

DROP INDEX IF EXISTS memories_outside;
