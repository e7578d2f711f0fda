-- Who has read a memory counts for its place in answers, each reader once. The log of retrievals knows it, among much more.
CREATE INDEX retrievals_read ON retrievals (project_id, memory_id, agent_key, at) WHERE kind = 'get';
