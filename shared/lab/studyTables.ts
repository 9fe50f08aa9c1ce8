import { csvLine } from '#shared/units/csvCell.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { BlendResult } from './kinds/blend/run.ts'
import type { StudyResult } from './runStudy.ts'

type Cell = string | number | null
export type TableRow = Record<string, Cell>

const isCell = (value: unknown): value is Cell =>
  value === null || typeof value === 'number' || typeof value === 'string'

/**
 * Flattens nested figures to keys such as `rankIc.all.mean`. Lists are skipped, because they become tables of their
 * own.
 */
function flatten(value: Record<string, unknown>, prefix = ''): TableRow {
  const row: TableRow = {}
  for (const [key, each] of Object.entries(value)) {
    if (isCell(each)) row[`${prefix}${key}`] = each
    else if (isRecord(each)) Object.assign(row, flatten(each, `${prefix}${key}.`))
  }
  return row
}

/** Turns an object of equally long lists into rows; a list of lists makes several columns. */
function rowsOfColumns(columns: Record<string, unknown>): TableRow[] {
  const lists = Object.entries(columns).flatMap(([key, list]): [string, unknown[]][] => {
    if (!Array.isArray(list)) return []
    if (list.length > 0 && list.every(Array.isArray))
      return list.map((one, at) => [`${key}.${at + 1}`, one as unknown[]])
    return [[key, list]]
  })
  const length = Math.max(0, ...lists.map(([, list]) => list.length))
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(lists.map(([key, list]) => [key, isCell(list[row]) ? list[row] : null])),
  )
}

/**
 * Collects the tables inside a value under the names of their keys. A table is a list of objects or an object of lists.
 * Its rows start with the identifying values of the entries that contain it.
 */
function collect(value: Record<string, unknown>, keys: TableRow, into: Map<string, TableRow[]>): void {
  const add = (name: string, rows: readonly TableRow[]) => {
    const all = into.get(name) ?? []
    for (const row of rows) all.push({ ...keys, ...row })
    into.set(name, all)
  }
  for (const [name, each] of Object.entries(value)) {
    if (Array.isArray(each) && each.every(isRecord)) {
      add(
        name,
        each.map((row) => flatten(row)),
      )
      for (const row of each) collect(row, { ...keys, ...identifyingCells(row) }, into)
    } else if (isRecord(each) && Object.values(each).some(Array.isArray)) add(name, rowsOfColumns(each))
  }
}

const identifyingKeys = ['symbol', 'horizon', 'a', 'b', 'offset']

const identifyingCells = (row: Record<string, unknown>): TableRow =>
  Object.fromEntries(
    Object.entries(row).filter(
      (entry): entry is [string, Cell] => identifyingKeys.includes(entry[0]) && isCell(entry[1]),
    ),
  )

/** Lists every table of a result with its rows. */
function studyTableRows({ study: _study, ...result }: StudyResult | BlendResult): { name: string; rows: TableRow[] }[] {
  const rowsByTable = new Map<string, TableRow[]>()
  collect(result as Record<string, unknown>, {}, rowsByTable)
  return [...rowsByTable].map(([name, rows]) => ({ name, rows }))
}

/** Builds a CSV for every table of a result. */
export const studyTables = (result: StudyResult | BlendResult): { name: string; csv: string }[] =>
  studyTableRows(result).map(({ name, rows }) => ({ name, csv: csvOf(rows) }))

/** Replaces a non-finite number by null, as in JSON. */
export const finiteCell = <Value extends Cell>(cell: Value): Value | null =>
  typeof cell === 'number' && !Number.isFinite(cell) ? null : cell

/** Writes rows as CSV; the header is the union of their keys. */
export function csvOf(rows: readonly TableRow[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return csvLine(header) + rows.map((row) => csvLine(header.map((key) => finiteCell(row[key] ?? null)))).join('')
}
