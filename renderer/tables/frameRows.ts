import { markRaw } from 'vue'
import { cellOf, type Column, columnOf, type Frame } from '#shared/contract/frame.ts'
import { type Arrangement, UNARRANGED, filteredRows, pickRows, sortedOrder } from '#shared/tables/arrangement.ts'
import { createPace } from '#shared/tables/pace.ts'
import { type ArrangedRows, NO_ROWS, type RowId, type RowSource } from './rows.ts'

interface FrameRowsOptions {
  /** Column whose values identify the rows. */
  idKey?: string
  /** Returns the identity of a row of the frame, if no single column identifies rows. */
  idOf?: (frameRow: number) => RowId
  /** Order of the rows where the person sorts by nothing; that of the frame by default. */
  order?: Uint32Array<ArrayBuffer> | null
  /** What the rows are made of, if the frame is made anew for another order; the frame by default. */
  contents?: object
}

/**
 * Creates a row source from a frame. Without `idKey` and `idOf`, the ids of rows are their positions in the frame,
 * which mean other rows in another frame.
 */
export function frameRows(
  frame: Frame,
  { idKey, idOf, order: usualOrder = null, contents = frame }: FrameRowsOptions = {},
): RowSource {
  const columns = new Map<string, Column>(frame.columns.map((column) => [column.name, column]))
  const idColumn = idKey === undefined ? undefined : columnOf(frame, idKey)
  const idOfFrameRow = idOf ?? ((row: number): RowId => (idColumn && cellOf(idColumn, row)) ?? row)
  let lastSort: { by: string; order: Uint32Array | null } = { by: JSON.stringify(UNARRANGED.sort), order: usualOrder }

  function rowsInOrder(view: Uint32Array | null): ArrangedRows {
    const frameRow = (row: number) => (view ? view[row] : row)
    const count = view ? view.length : frame.rows
    return markRaw({
      ...NO_ROWS,
      count,
      total: frame.rows,
      version: 0,
      idOf: (row) => (row < count ? idOfFrameRow(frameRow(row)) : undefined),
      cell(row, key) {
        const column = columns.get(key)
        return column ? cellOf(column, frameRow(row)) : null
      },
    })
  }

  async function arrange(arrangement: Arrangement, signal: AbortSignal): Promise<ArrangedRows> {
    const pace = createPace(signal)
    const sortText = JSON.stringify(arrangement.sort)
    const order =
      sortText === lastSort.by ? lastSort.order : ((await sortedOrder(frame, arrangement.sort, pace)) ?? usualOrder)
    const matching = await filteredRows(frame, arrangement, pace)
    signal.throwIfAborted()
    lastSort = { by: sortText, order }
    return rowsInOrder(matching ? pickRows(order, matching) : order)
  }

  return markRaw({ idScope: idKey !== undefined || idOf !== undefined ? 'table' : 'source', contents, arrange })
}
