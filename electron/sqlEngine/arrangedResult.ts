import { byPosition, type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type Arrangement, filteredRows, isUnarranged, pickRows, sortedOrder } from '#shared/tables/arrangement.ts'
import { createPace } from '#shared/tables/sortRows.ts'

/** Number of rows above which a result is not loaded into memory to arrange it; ORDER BY can sort any number. */
const MOST_ARRANGED_ROWS = 5_000_000

interface Rows {
  rows: number
  frame(from: number, count: number): Frame
}

/** Sorts and filters a result like the tables of the window; the latest order is kept for the next page. */
export class ArrangedResult {
  private readonly source: Rows
  private whole: Frame | null = null
  private last: { key: string; order: Uint32Array | null; count: number } | null = null

  constructor(source: Rows) {
    this.source = source
  }

  async page(arrangement: Arrangement, from: number, count: number): Promise<{ frame: Frame; count: number }> {
    if (isUnarranged(arrangement)) return { frame: byPosition(this.source.frame(from, count)), count: this.source.rows }
    const { order, count: rows } = await this.ordered(arrangement)
    const frame = this.wholeFrame()
    const wanted = Uint32Array.from({ length: Math.max(0, Math.min(rows, from + count) - from) }, (_, at) =>
      order ? order[from + at] : from + at,
    )
    return {
      frame: { rows: wanted.length, columns: frame.columns.map((column) => pickedRows(column, wanted)) },
      count: rows,
    }
  }

  private async ordered(arrangement: Arrangement) {
    const key = JSON.stringify(arrangement)
    if (this.last?.key === key) return this.last
    const frame = this.wholeFrame()
    const pace = createPace(new AbortController().signal)
    const order = await sortedOrder(frame, arrangement.sort, pace)
    const matching = await filteredRows(frame, arrangement, pace)
    const view = matching ? pickRows(order, matching) : order
    this.last = { key, order: view, count: view ? view.length : frame.rows }
    return this.last
  }

  private wholeFrame(): Frame {
    if (this.source.rows > MOST_ARRANGED_ROWS)
      throw new AppError(
        'too-large',
        `The table sorts and filters up to ${MOST_ARRANGED_ROWS.toLocaleString('en')} rows. Use ORDER BY and WHERE in the query.`,
      )
    this.whole ??= byPosition(this.source.frame(0, this.source.rows))
    return this.whole
  }
}

/** Copies rows of a column in an order. */
function pickedRows(column: Column, rows: Uint32Array): Column {
  const cells = Array.from(rows, (row) => (column.valid && !column.valid[row] ? null : column.values[row]))
  if (column.kind === 'text')
    return textColumn(
      column.name,
      cells.map((cell) => (cell === null ? null : column.dictionary[cell])),
    )
  return column.kind === 'time' ? timeColumn(column.name, cells) : numberColumn(column.name, cells)
}
