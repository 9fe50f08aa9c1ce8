import type { Reads, Writes } from './sql.ts'

/** Facts about one column of a file. */
export interface ColumnFacts {
  name: string
  /** The Parquet type in words: `int64`, `double`, `timestamp[us, UTC]` … */
  type: string
  nulls: number
  /** Null where nothing is comparable (text, all missing). NaN and infinities do not count. */
  min: number | null
  max: number | null
}

/** Facts found when a file was validated, kept with its row so that nobody has to open the file to know them. */
export interface FileFacts {
  rows: number
  /** Milliseconds since the epoch; null for an empty file. */
  firstTimeMs: number | null
  lastTimeMs: number | null
  /** Step of the grid if the rows lie on a regular one. Null where they do not. */
  stepMs: number | null
  duplicateTimes: number
  columns: ColumnFacts[]
}

interface FactsRow {
  rows: number
  first_time_ms: number | null
  last_time_ms: number | null
  step_ms: number | null
  duplicate_times: number
  columns: string
  column_values: Uint8Array
}

/** Nulls, min and max of each column side by side: a thirtieth of what they take as JSON. */
function packValues(columns: readonly ColumnFacts[]): Uint8Array {
  const values = new Float64Array(columns.length * 3)
  columns.forEach(({ nulls, min, max }, index) => values.set([nulls, min ?? NaN, max ?? NaN], index * 3))
  return new Uint8Array(values.buffer)
}

function unpackColumns(list: string, packed: Uint8Array): ColumnFacts[] {
  // The blob may start anywhere in its buffer; a copy is aligned.
  const values = new Float64Array(new Uint8Array(packed).buffer)
  const present = (value: number) => (Number.isNaN(value) ? null : value)
  return (JSON.parse(list) as [string, string][]).map(([name, type], index) => ({
    name,
    type,
    nulls: values[index * 3],
    min: present(values[index * 3 + 1]),
    max: present(values[index * 3 + 2]),
  }))
}

export function readFacts(reads: Reads, seriesId: number, period: string): FileFacts | undefined {
  const row = reads.first<FactsRow>(
    `SELECT rows, first_time_ms, last_time_ms, step_ms, duplicate_times, columns, column_values
     FROM file_facts JOIN column_lists ON column_lists.id = column_list_id WHERE series_id = ? AND period = ?`,
    seriesId,
    period,
  )
  return (
    row && {
      rows: row.rows,
      firstTimeMs: row.first_time_ms,
      lastTimeMs: row.last_time_ms,
      stepMs: row.step_ms,
      duplicateTimes: row.duplicate_times,
      columns: unpackColumns(row.columns, row.column_values),
    }
  )
}

export function writeFacts(writes: Writes, seriesId: number, period: string, facts: FileFacts): void {
  const list = JSON.stringify(facts.columns.map(({ name, type }) => [name, type]))
  writes.run('INSERT INTO column_lists (columns) VALUES (?) ON CONFLICT (columns) DO NOTHING', list)
  writes.run(
    `INSERT OR REPLACE INTO file_facts
       (series_id, period, rows, first_time_ms, last_time_ms, step_ms, duplicate_times, column_list_id, column_values)
     VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM column_lists WHERE columns = ?), ?)`,
    seriesId,
    period,
    facts.rows,
    facts.firstTimeMs,
    facts.lastTimeMs,
    facts.stepMs,
    facts.duplicateTimes,
    list,
    packValues(facts.columns),
  )
}
