import { knownDayOf, type OwnOwner } from '#shared/formula/ownData.ts'
import type { DayNumber } from '#shared/time/periods.ts'
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
  /** Time from the label of a row to when it is known. */
  knownDelayUs: number
}

export interface ChangedRows {
  added: number
  changed: number
  removed: number
  /** Days at whose end any of these rows is known. */
  days: DayNumber[]
}

/** Counts the rows that differ between two versions, month by month; of events the whole row is the key. */
export function changedRows({ before, after, knownDelayUs }: ChangedRowsTask): ChangedRows {
  const counts = { added: 0, changed: 0, removed: 0 }
  const days = new Set<DayNumber>()
  const count = (what: keyof typeof counts, rows: number, key: string) => {
    if (rows <= 0) return
    counts[what] += rows
    days.add(knownDayOf(Number(key.slice(0, key.indexOf(' '))) + knownDelayUs))
  }
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
      count('added', values.length - known.length, key)
      count('changed', values.filter((value, at) => at < known.length && value !== known[at]).length, key)
    }
    for (const [key, values] of oldRows) count('removed', values.length - (newRows.get(key)?.length ?? 0), key)
  }
  return { ...counts, days: [...days] }
}

/** Returns what rows hold, by what identifies them: their time, a space and the rest. */
function rowsByKey(part: StoredPart, version: OwnVersion, columns: readonly string[]): Map<string, string[]> {
  const rows = readPart(part, version.owners, columns, version.label)
  const byKey = new Map<string, string[]>()
  for (let row = 0; row < rows.timesUs.length; row++) {
    const { exchange, symbol } = rows.owners[row]
    const value = valueText(rows, row)
    const key = `${rows.timesUs[row]} ${JSON.stringify([exchange, symbol, ...(version.isEvents ? [value] : [])])}`
    const known = byKey.get(key)
    if (known) known.push(value)
    else byKey.set(key, [value])
  }
  return byKey
}

const valueText = ({ label, columns }: PartRows, row: number): string =>
  `${[...columns.values()].map((values) => (Object.is(values[row], -0) ? '-0' : values[row])).join(' ')} ${label?.[row] ?? ''}`
