import type { LongRows } from '#shared/lab/panel.ts'

/** Consecutive rows of a panel file. */
export interface PanelBatch extends Pick<LongRows, 'times' | 'symbols' | 'columns' | 'member'> {
  /** Number of the first row in the file, from 0. */
  firstRow: number
}

/** Receives the batches of a panel file in order. */
export type OnBatch = (batch: PanelBatch) => void

/** Receives the batches of a panel file, and says how many rows a batch may have. */
export interface BatchReceiver {
  onBatch: OnBatch
  batchRows: number
}

/** Names of a panel file: its symbols and its columns, known once all of its rows are read. */
export interface PanelHead extends Pick<LongRows, 'names' | 'otherColumns' | 'columnNames'> {
  /** Columns that are requested and numeric in every row. */
  columns: string[]
  hasMember: boolean
}

/** Maximum number of rows of a batch: enough to decode columns at full speed, few enough to take little memory. */
export const BATCH_ROWS = 2 ** 18

/** Returns the bytes per row of a batch. */
export const bytesOfRow = (columns: number): number => 8 + 4 + 1 + 8 * columns

/** Joins the batches of a file into one list of rows. */
export function joinBatches(batches: readonly PanelBatch[], facts: PanelHead): LongRows {
  const { names, otherColumns, columnNames } = facts
  const columnFacts = { names, otherColumns, columnNames }
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
  return { ...columnFacts, times, symbols, columns, member }
}
