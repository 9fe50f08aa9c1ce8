import type { DayNumber } from '#shared/time/periods.ts'
import type { SqlValue } from './sql.ts'

export interface FileFilter {
  connectionId?: string
  /** Any of these owners, such as a connection and the owner of the series computed for it. */
  connectionIds?: readonly string[]
  kind?: 'metrics' | 'raw'
  datasets?: readonly string[]
  exchanges?: readonly string[]
  symbols?: readonly string[]
  /** Pairs of venue and symbol, from a list of symbols. */
  pairs?: readonly { exchange: string; symbol: string }[]
  intervals?: readonly string[]
  timestamps?: readonly string[]
  /** First day of the half-open range that the files must overlap; `endDay` is the first day after it. */
  startDay?: DayNumber
  endDay?: DayNumber
  origins?: readonly string[]
  periods?: readonly string[]
}

/** A condition on the `series` or on the `files` table, with the values of its placeholders. */
interface SqlCondition {
  sql: string
  values: SqlValue[]
}

const listFields = [
  ['connection_id', 'connectionIds'],
  ['dataset', 'datasets'],
  ['exchange', 'exchanges'],
  ['symbol', 'symbols'],
  ['interval', 'intervals'],
  ['timestamp', 'timestamps'],
] as const

export function seriesCondition(filter: FileFilter): SqlCondition {
  const conditions = ['1']
  const values: SqlValue[] = []
  for (const [column, wanted] of [
    ['connection_id', filter.connectionId],
    ['kind', filter.kind],
  ] as const) {
    if (wanted === undefined) continue
    conditions.push(`series.${column} = ?`)
    values.push(wanted)
  }
  for (const [column, key] of listFields) {
    const wanted = filter[key]
    if (!wanted) continue
    // All names are passed as one value, so that the statement stays the same and can be reused.
    conditions.push(`series.${column} IN (SELECT value FROM json_each(?))`)
    values.push(JSON.stringify(wanted))
  }
  if (filter.pairs) {
    conditions.push(
      "(series.exchange, series.symbol) IN (SELECT value ->> '$.exchange', value ->> '$.symbol' FROM json_each(?))",
    )
    values.push(JSON.stringify(filter.pairs))
  }
  return { sql: conditions.join(' AND '), values }
}

/**
 * Builds the condition on `files` for the range of days, the origins and the periods; true for all files if none is
 * given.
 */
export function filesCondition({ startDay, endDay, origins, periods }: FileFilter): SqlCondition {
  const parts = ['1']
  const values: SqlValue[] = []
  if (startDay !== undefined) {
    parts.push('files.end_day > ?')
    values.push(startDay)
  }
  if (endDay !== undefined) {
    parts.push('files.start_day < ?')
    values.push(endDay)
  }
  for (const [column, wanted] of [
    ['origin', origins],
    ['period', periods],
  ] as const) {
    if (wanted === undefined) continue
    parts.push(`files.${column} IN (SELECT value FROM json_each(?))`)
    values.push(JSON.stringify(wanted))
  }
  return { sql: parts.join(' AND '), values }
}
