import { markRaw } from 'vue'
import { cellOf, columnOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { keptRows } from './keptRows.ts'
import { BLOCK_ROWS, createPace, type Pace } from './pace.ts'
import {
  AS_IT_IS,
  NO_ROWS,
  type ArrangedRows,
  type Arrangement,
  type RowId,
  type RowSource,
  type SortKey,
} from './rows.ts'
import { sortedBy } from './sortedOrder.ts'

export interface FrameRowsOptions {
  /** Column whose values name the rows. */
  idKey?: string
  /** Name of a row of the frame, where no single column tells rows apart. */
  idOf?: (frameRow: number) => RowId
}

/** The rows of a frame. Without a key, ids are positions in the frame, which mean other rows in another frame. */
export function frameRows(frame: Frame, { idKey, idOf }: FrameRowsOptions = {}): RowSource {
  const columns = new Map<string, Column>(frame.columns.map((column) => [column.name, column]))
  const idColumn = idKey === undefined ? undefined : columnOf(frame, idKey)
  const nameOf = idOf ?? ((row: number): RowId => (idColumn && cellOf(idColumn, row)) ?? row)
  let sorted: { by: string; order: Uint32Array | null } = { by: JSON.stringify(AS_IT_IS.sort), order: null }

  function arranged(view: Uint32Array | null): ArrangedRows {
    const frameRow = (row: number) => (view ? view[row] : row)
    return markRaw({
      ...NO_ROWS,
      count: view ? view.length : frame.rows,
      total: frame.rows,
      version: 0,
      idOf: (row) => nameOf(frameRow(row)),
      cell(row, key) {
        const column = columns.get(key)
        return column ? cellOf(column, frameRow(row)) : null
      },
    })
  }

  async function arrange(arrangement: Arrangement, signal: AbortSignal): Promise<ArrangedRows> {
    const pace = createPace(signal)
    const by = JSON.stringify(arrangement.sort)
    const order = by === sorted.by ? sorted.order : await sortedOrder(frame, arrangement.sort, pace)
    const kept = await keptRows(frame, arrangement, pace)
    signal.throwIfAborted()
    sorted = { by, order }
    return arranged(kept ? pick(order, kept) : order)
  }

  return markRaw({ idScope: idKey !== undefined || idOf !== undefined ? 'table' : 'source', arrange })
}

async function sortedOrder(frame: Frame, sort: readonly SortKey[], pace: Pace): Promise<Uint32Array | null> {
  let order: Uint32Array<ArrayBuffer> | null = null
  for (const { key, descending } of sort.toReversed()) {
    const column = columnOf(frame, key)
    if (column) order = await sortedBy(order ?? (await naturalOrder(frame.rows, pace)), column, descending, pace)
  }
  return order
}

async function naturalOrder(rows: number, pace: Pace): Promise<Uint32Array<ArrayBuffer>> {
  const order = new Uint32Array(rows)
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, rows)
    for (let row = start; row < end; row += 1) order[row] = row
    await pace()
  }
  return order
}

function pick(order: Uint32Array | null, kept: Uint8Array): Uint32Array {
  const picked = new Uint32Array(kept.length)
  let count = 0
  for (let at = 0; at < kept.length; at += 1) {
    const row = order ? order[at] : at
    if (kept[row]) picked[count++] = row
  }
  return picked.slice(0, count)
}
