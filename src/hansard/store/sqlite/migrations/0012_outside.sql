-- What came from outside, by who brought it: whatever its author says later is compared with it. A file that is indexed
-- has its words on record, and may have many.

CREATE INDEX memories_outside ON memories (project_id, agent_key, id)
    WHERE origin IN ('tool_output', 'imported_file', 'extraction', 'external') AND source <> 'file_index';
