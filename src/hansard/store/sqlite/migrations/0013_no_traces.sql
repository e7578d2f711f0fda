-- Nothing compares texts with what their author brought from outside any more.

DROP INDEX memories_outside;
