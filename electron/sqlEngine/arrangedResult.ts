import {
  nameByPosition,
  type Column,
  type Frame,
  type NumberColumn,
  numberColumn,
  type TextColumn,
  textColumn,
  timeColumn,
} from '#shared/contract/frame.ts'
import { isNumberType } from '#shared/sql/resultType.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type Arrangement, filteredRows, isUnarranged, pickRows, sortedOrder } from '#shared/tables/arrangement.ts'
import { createPace } from '#shared/tables/pace.ts'

/** Maximum number of rows that are loaded into memory to arrange a result; ORDER BY can sort any number. */
const MOST_ARRANGED_ROWS = 5_000_000

interface RowSource {
  columns: readonly { type: string }[]
  rows: number
  frame(from: number, count: number): Frame
}

/** Sorts and filters a result as the tables in the window do; the latest order is kept for the next page. */
export class ArrangedResult {
  private readonly source: RowSource
  private loadedFrame: Frame | null = null
  private lastArranged: { key: string; order: Uint32Array | null; count: number } | null = null

  constructor(source: RowSource) {
    this.source = source
  }

  async page(arrangement: Arrangement, from: number, count: number): Promise<{ frame: Frame; count: number }> {
    if (isUnarranged(arrangement))
      return { frame: nameByPosition(this.source.frame(from, count)), count: this.source.rows }
    const { order, count: rows } = await this.arrange(arrangement)
    const frame = this.wholeFrame()
    const rowNumbers = Uint32Array.from({ length: Math.max(0, Math.min(rows, from + count) - from) }, (_, at) =>
      order ? order[from + at] : from + at,
    )
    return {
      frame: { rows: rowNumbers.length, columns: frame.columns.map((column) => pickCells(column, rowNumbers)) },
      count: rows,
    }
  }

  private async arrange(arrangement: Arrangement) {
    const key = JSON.stringify(arrangement)
    if (this.lastArranged?.key === key) return this.lastArranged
    const frame = this.wholeFrame()
    const pace = createPace(new AbortController().signal)
    const order = await sortedOrder(sortableFrame(frame, this.source.columns), arrangement.sort, pace)
    const matching = await filteredRows(frame, arrangement, pace)
    const view = matching ? pickRows(order, matching) : order
    this.lastArranged = { key, order: view, count: view ? view.length : frame.rows }
    return this.lastArranged
  }

  private wholeFrame(): Frame {
    if (this.source.rows > MOST_ARRANGED_ROWS)
      throw new AppError(
        'too-large',
        `The table sorts and filters up to ${MOST_ARRANGED_ROWS.toLocaleString('en')} rows. Use ORDER BY and WHERE in the query.`,
      )
    this.loadedFrame ??= nameByPosition(this.source.frame(0, this.source.rows))
    return this.loadedFrame
  }
}

/** Replaces decimals, and integers too long for a double, which are texts, by their ranks, so that they sort as numbers. */
const sortableFrame = ({ rows, columns }: Frame, types: readonly { type: string }[]): Frame => ({
  rows,
  columns: columns.map((column, at) =>
    column.kind === 'text' && isNumberType(types[at].type) ? ranksOf(column) : column,
  ),
})

function ranksOf({ name, values, dictionary, valid }: TextColumn): NumberColumn {
  const fractionDigits = dictionary.reduce((most, text) => Math.max(most, text.split('.').at(1)?.length ?? 0), 0)
  const numbers = dictionary.map((text) => {
    const [whole, fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(fractionDigits, '0'))
  })
  const order = [...numbers.keys()].sort((a, b) => (numbers[a] < numbers[b] ? -1 : numbers[a] > numbers[b] ? 1 : 0))
  const rankByCode = new Float64Array(dictionary.length)
  order.forEach((code, rank) => (rankByCode[code] = rank))
  return { name, kind: 'number', values: Float64Array.from(values, (code) => rankByCode[code]), valid }
}

/** Copies the rows with these numbers from a column, in their order. */
function pickCells(column: Column, rows: Uint32Array): Column {
  const cells = Array.from(rows, (row) => (column.valid && !column.valid[row] ? null : column.values[row]))
  if (column.kind === 'text')
    return textColumn(
      column.name,
      cells.map((cell) => (cell === null ? null : column.dictionary[cell])),
    )
  return column.kind === 'time' ? timeColumn(column.name, cells) : numberColumn(column.name, cells)
}
