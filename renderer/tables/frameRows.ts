import { markRaw } from 'vue'
import { cellOf, columnOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { keptRows } from './keptRows.ts'
import { BLOCK_ROWS, createPace, type Pace } from './pace.ts'
import { AS_IT_IS, createVersion, type Arrangement, type RowId, type RowSource, type SortKey } from './rows.ts'
import { sortedBy } from './sortedOrder.ts'

export interface FrameRows extends RowSource {
  /** The row of the frame that stands at this place. */
  frameRow(row: number): number
}

/** The rows of a frame. `idKey` names the column that tells rows apart; without it that is their place in the frame. */
export function frameRows(frame: Frame, { idKey }: { idKey?: string } = {}): FrameRows {
  const columns = new Map<string, Column>(frame.columns.map((column) => [column.name, column]))
  const idColumn = idKey === undefined ? undefined : columnOf(frame, idKey)
  const version = createVersion()
  let sorted: { by: string; order: Uint32Array | null } = { by: JSON.stringify(AS_IT_IS.sort), order: null }
  let view: Uint32Array | null = null

  const frameRow = (row: number) => (view ? view[row] : row)

  function idOf(row: number): RowId {
    const at = frameRow(row)
    return (idColumn && cellOf(idColumn, at)) ?? at
  }

  async function arrange(arrangement: Arrangement, signal: AbortSignal): Promise<void> {
    const pace = createPace(signal)
    const by = JSON.stringify(arrangement.sort)
    const order = by === sorted.by ? sorted.order : await sortedOrder(frame, arrangement.sort, pace)
    const kept = await keptRows(frame, arrangement, pace)
    const next = kept ? pick(order, kept) : order
    signal.throwIfAborted()
    sorted = { by, order }
    view = next
    version.bump()
  }

  return markRaw({
    get count() {
      return view ? view.length : frame.rows
    },
    total: frame.rows,
    get version() {
      return version.value
    },
    frameRow,
    idOf,
    cell(row, key) {
      const column = columns.get(key)
      return column ? cellOf(column, frameRow(row)) : null
    },
    load: async () => {},
    arrange,
    subscribe: version.subscribe,
  })
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
