import type { LongRows } from '#shared/lab/panel.ts'

/** Rows of a panel file that follow one another. */
export interface PanelBatch extends Pick<LongRows, 'times' | 'symbols' | 'columns' | 'member'> {
  /** Number of the first of its rows in the file, from 0. */
  firstRow: number
}

/** Takes the batches of a panel file in order. */
export type OnBatch = (batch: PanelBatch) => void

/** Takes the batches of a panel file, and says how many rows each has at most. */
export interface BatchReader {
  onBatch: OnBatch
  batchRows: number
}

/** Everything that is known of a panel file once all of its rows are read. */
export interface PanelFacts extends Pick<LongRows, 'names' | 'otherColumns' | 'columnNames'> {
  /** Columns that are requested and numeric in every row. */
  columns: string[]
  hasMember: boolean
}

/** Rows of a batch at most: enough that its columns are decoded at full speed, few enough to take little memory. */
export const BATCH_ROWS = 2 ** 18

/** Counts the bytes that a row of a batch takes. */
export const bytesOfRow = (columns: number): number => 8 + 4 + 1 + 8 * columns

/** Joins the batches of a file. */
export function joinBatches(batches: readonly PanelBatch[], facts: PanelFacts): LongRows {
  const { names, otherColumns, columnNames } = facts
  const known = { names, otherColumns, columnNames }
  const rows = batches.reduce((sum, { times }) => sum + times.length, 0)
  const times = new Float64Array(rows)
  const symbols = new Int32Array(rows)
  const member = facts.hasMember ? new Uint8Array(rows) : null
  const columns = new Map(facts.columns.map((name) => [name, new Float64Array(rows)]))
  for (const { firstRow, ...batch } of batches) {
    times.set(batch.times, firstRow)
    symbols.set(batch.symbols, firstRow)
    if (batch.member) member?.set(batch.member, firstRow)
    for (const [name, values] of columns) values.set(batch.columns.get(name) ?? [], firstRow)
  }
  return { ...known, times, symbols, columns, member }
}
