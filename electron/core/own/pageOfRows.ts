import { type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { OwnOwner } from '#shared/formula/ownData.ts'
import { byCodeUnits } from '#shared/lab/panel.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'
import { type PartRows, readPart, type StoredPart } from './storedRows.ts'

/** Rows of an own dataset to read, of all owners, by their labels. */
export interface RowsTask {
  parts: readonly StoredPart[]
  owners: readonly OwnOwner[]
  columns: readonly string[]
  label: string | null
  hasExchanges: boolean
  hasSymbols: boolean
  startMs: number
  endMs: number
  /** Number of rows after which no further month is read. */
  limitRows: number
}

export interface PageOfRows {
  rows: Frame
  /** Start of the next page; null if the range was read. */
  nextMs: number | null
}

/** Reads rows in the order of their labels, month by month. */
export function pageOfRows(task: RowsTask): PageOfRows {
  const rows: { part: PartRows; row: number }[] = []
  let nextMs: number | null = null
  for (const part of task.parts) {
    if (part.endUs <= task.startMs * 1000 || part.startUs >= task.endMs * 1000) continue
    if (rows.length >= task.limitRows) {
      nextMs = part.startUs / 1000
      break
    }
    rows.push(...sortedRows(readPart(part, task.owners, task.columns, task.label), task))
  }
  const texts = (name: string, of: (part: PartRows, row: number) => string | null) =>
    textColumn(
      name,
      rows.map(({ part, row }) => of(part, row)),
    )
  return {
    nextMs,
    rows: {
      rows: rows.length,
      columns: [
        timeColumn(
          'time',
          rows.map(({ part, row }) => part.timesUs[row] / 1000),
        ),
        ...(task.hasExchanges ? [texts('exchange', (part, row) => part.owners[row].exchange)] : []),
        ...(task.hasSymbols ? [texts('symbol', (part, row) => part.owners[row].symbol)] : []),
        ...(task.label === null ? [] : [texts(task.label, (part, row) => part.label![row])]),
        ...task.columns.map((name) =>
          numberColumn(
            name,
            rows.map(({ part, row }) => finiteOrNull(part.columns.get(name)![row])),
          ),
        ),
      ],
    },
  }
}

function sortedRows(part: PartRows, { startMs, endMs }: RowsTask): { part: PartRows; row: number }[] {
  const rows: number[] = []
  for (let row = 0; row < part.timesUs.length; row++)
    if (part.timesUs[row] >= startMs * 1000 && part.timesUs[row] < endMs * 1000) rows.push(row)
  const nameOf = (row: number) => `${part.owners[row].exchange ?? ''}\n${part.owners[row].symbol ?? ''}`
  rows.sort((a, b) => part.timesUs[a] - part.timesUs[b] || byCodeUnits(nameOf(a), nameOf(b)) || a - b)
  return rows.map((row) => ({ part, row }))
}
