import type { Database as SqliteDatabase } from 'better-sqlite3'

/** A table of earlier versions whose documents now are in `user_documents`. */
interface MovedTable {
  name: string
  /** Its columns. */
  columns: string
  /** Statements that copy its rows, unless they are there already. */
  move: string
}

const insert = `INSERT OR IGNORE INTO user_documents (kind, id, key, name, body, facts, state, revision, changed_at_ms)`

/** Every table whose documents were moved. */
export const movedTables: readonly MovedTable[] = [
  {
    name: 'workspaces',
    columns: `id TEXT PRIMARY KEY, name TEXT NOT NULL, document TEXT NOT NULL, series INTEGER NOT NULL,
      revision INTEGER NOT NULL, changed_at_ms INTEGER NOT NULL`,
    move: `${insert}
      SELECT 'workspace', id, lower(name), name, document, json_object('series', series, 'quickLook',
        CASE WHEN json_valid(document) THEN document ->> '$.quickLook' END), '{}', revision, changed_at_ms
      FROM workspaces`,
  },
  {
    name: 'lab_documents',
    columns: `id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT, document TEXT NOT NULL, revision INTEGER NOT NULL,
      changed_at_ms INTEGER NOT NULL, answer BLOB, ran_at_ms INTEGER`,
    move: `${insert}
      SELECT 'study', id, lower(name), name, document, json_object('kind', kind), json_object('ranAt', ran_at_ms), revision,
        changed_at_ms
      FROM lab_documents;
      INSERT OR IGNORE INTO study_answers (id, answer) SELECT id, answer FROM lab_documents WHERE answer IS NOT NULL`,
  },
  {
    name: 'sql_queries',
    columns: `id TEXT PRIMARY KEY, name TEXT NOT NULL, length INTEGER NOT NULL, document TEXT NOT NULL,
      revision INTEGER NOT NULL, changed_at_ms INTEGER NOT NULL`,
    move: `${insert}
      SELECT 'query', id, lower(name), name, document, json_object('length', length), '{}', revision, changed_at_ms
      FROM sql_queries`,
  },
  {
    name: 'boards',
    columns: `id TEXT PRIMARY KEY, name TEXT NOT NULL, document TEXT NOT NULL, parts INTEGER NOT NULL,
      revision INTEGER NOT NULL, changed_at_ms INTEGER NOT NULL`,
    move: `${insert}
      SELECT 'board', id, lower(name), name, document, json_object('parts', parts), '{}', revision, changed_at_ms
      FROM boards`,
  },
  {
    name: 'symbol_lists',
    columns: `list TEXT NOT NULL, position INTEGER NOT NULL, exchange TEXT NOT NULL, symbol TEXT NOT NULL,
      symbol_group TEXT, PRIMARY KEY (list, position)`,
    move: `${insert}
      SELECT 'list', list, list, list, json_object('version', 1, 'symbols', json_group_array(
          json_object('exchange', exchange, 'symbol', symbol, 'group', symbol_group) ORDER BY position)),
        json_object('symbols', count(*)), '{}', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)
      FROM symbol_lists GROUP BY list`,
  },
  {
    name: 'checks',
    columns: `name TEXT PRIMARY KEY, connection_id TEXT NOT NULL, rule TEXT NOT NULL`,
    move: `${insert}
      SELECT 'check', name, name, name, json_object('connectionId', connection_id, 'rule', json(rule)),
        json_object('connectionId', connection_id), '{}', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)
      FROM checks WHERE json_valid(rule)`,
  },
  {
    name: 'download_sets',
    columns: `connection_id TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, fields TEXT NOT NULL,
      saved_at_ms INTEGER NOT NULL, enqueued_at_ms INTEGER, PRIMARY KEY (connection_id, name)`,
    move: `${insert}
      SELECT 'set', connection_id || '/' || lower(name), connection_id || '/' || lower(name), name, fields,
        json_object('connectionId', connection_id), json_object('enqueuedAt', enqueued_at_ms), 1, saved_at_ms
      FROM download_sets`,
  },
]

/** Moves the documents of earlier tables, and drops these. */
export function moveDocuments(database: SqliteDatabase, tables: readonly MovedTable[]): void {
  for (const { name, move } of tables) database.exec(`${move}; DROP TABLE ${name};`)
}
