-- What a context block showed is in the log of what was surfaced, apart from searches.

ALTER TABLE retrievals DROP CONSTRAINT retrievals_kind_check;
ALTER TABLE retrievals ADD CONSTRAINT retrievals_kind_check CHECK (kind IN ('search', 'get', 'context'));
