import type { OwnOwner } from '#shared/formula/ownData.ts'
import { type PartRows, readPart, type StoredPart } from './storedRows.ts'

/** One version of a dataset. */
interface OwnVersion {
  parts: readonly (StoredPart & { month: string })[]
  owners: readonly OwnOwner[]
  columns: readonly string[]
  label: string | null
  isEvents: boolean
}

export interface ChangedRowsTask {
  before: OwnVersion
  after: OwnVersion
}

export interface ChangedRows {
  added: number
  changed: number
  removed: number
}

/** Counts the rows that differ between two versions, month by month; of events the whole row is the key. */
export function changedRows({ before, after }: ChangedRowsTask): ChangedRows {
  const counts = { added: 0, changed: 0, removed: 0 }
  const columns = [...new Set([...before.columns, ...after.columns])]
  const hasSameColumns =
    before.columns.length === after.columns.length && before.columns.every((name) => after.columns.includes(name))
  const months = new Set([...before.parts, ...after.parts].map(({ month }) => month))
  for (const month of months) {
    const partOf = ({ parts }: OwnVersion) => parts.find((part) => part.month === month)
    const [old, now] = [partOf(before), partOf(after)]
    if (old && now && old.sha256 === now.sha256 && hasSameColumns) continue
    const oldRows = old ? rowsByKey(old, before, columns) : new Map<string, string[]>()
    const newRows = now ? rowsByKey(now, after, columns) : new Map<string, string[]>()
    for (const [key, values] of newRows) {
      const known = oldRows.get(key) ?? []
      counts.added += Math.max(0, values.length - known.length)
      values.slice(0, known.length).forEach((value, at) => (counts.changed += value === known[at] ? 0 : 1))
    }
    for (const [key, values] of oldRows) counts.removed += Math.max(0, values.length - (newRows.get(key)?.length ?? 0))
  }
  return counts
}

/** Returns what rows hold, by what identifies them. */
function rowsByKey(part: StoredPart, version: OwnVersion, columns: readonly string[]): Map<string, string[]> {
  const rows = readPart(part, version.owners, columns, version.label)
  const byKey = new Map<string, string[]>()
  for (let row = 0; row < rows.timesUs.length; row++) {
    const { exchange, symbol } = rows.owners[row]
    const value = valueText(rows, row)
    const key = JSON.stringify([rows.timesUs[row], exchange, symbol, ...(version.isEvents ? [value] : [])])
    const known = byKey.get(key)
    if (known) known.push(value)
    else byKey.set(key, [value])
  }
  return byKey
}

const valueText = ({ label, columns }: PartRows, row: number): string =>
  `${[...columns.values()].map((values) => (Object.is(values[row], -0) ? '-0' : values[row])).join(' ')} ${label?.[row] ?? ''}`
