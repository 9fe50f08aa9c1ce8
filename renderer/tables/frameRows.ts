import { markRaw } from 'vue'
import { cellOf, type Column, columnOf, type Frame } from '#shared/contract/frame.ts'
import { BLOCK_ROWS, createPace, type Pace, sortedBy } from './sortRows.ts'
import {
  type ArrangedRows,
  type Arrangement,
  AS_IT_IS,
  type Condition,
  type Filter,
  NO_ROWS,
  type RowId,
  type RowSource,
  type SortKey,
} from './rows.ts'

export interface FrameRowsOptions {
  /** Column whose values name the rows. */
  idKey?: string
  /** Name of a row of the frame, where no single column tells rows apart. */
  idOf?: (frameRow: number) => RowId
}

/**
 * Creates a source of the rows of a frame. Without a key, ids are positions in the frame, which mean other rows in
 * another frame.
 */
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
    const kept = await filteredRows(frame, arrangement, pace)
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

/** Folds a text for searching, which ignores the case and the width of letters. */
export const foldText = (text: string) => text.normalize('NFKC').toLowerCase()

type Test = (row: number) => boolean

/** Filters the rows: returns one byte per row, 1 for a match; null when every row matches. */
export async function filteredRows(frame: Frame, filter: Filter, pace: Pace): Promise<Uint8Array | null> {
  const tests = [
    ...(await wordTests(frame, filter.text, pace)),
    ...filter.conditions.map((c) => conditionTest(frame, c)),
  ]
  if (tests.length === 0) return null
  const kept = new Uint8Array(frame.rows)
  for (let start = 0; start < frame.rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, frame.rows)
    testRows(tests, kept, start, end)
    await pace()
  }
  return kept
}

/** Folds the texts of a frame ahead, so that the first letter of a filter is as quick as the next. */
export async function foldAhead(frame: Frame, signal: AbortSignal): Promise<void> {
  const pace = createPace(signal)
  for (const column of frame.columns) if (column.kind === 'text') await foldedOf(column.dictionary, pace)
}

function testRows(tests: readonly Test[], kept: Uint8Array, start: number, end: number): void {
  kept.fill(1, start, end)
  for (const test of tests) {
    for (let row = start; row < end; row += 1) if (kept[row] === 1 && !test(row)) kept[row] = 0
  }
}

type TextColumn = Extract<Column, { kind: 'text' }>

/** Matches words against the dictionaries only, so that a row needs no more than a table look-up. */
async function wordTests(frame: Frame, text: string, pace: Pace): Promise<Test[]> {
  const terms = foldText(text).split(/\s+/).filter(Boolean)
  if (terms.length === 0) return []
  const columns = frame.columns.filter((column): column is TextColumn => column.kind === 'text')
  const folded: string[][] = []
  for (const { dictionary } of columns) folded.push(await foldedOf(dictionary, pace))
  return terms.map((word) => {
    const hits = folded.map((texts) => Uint8Array.from(texts, (entry) => (entry.includes(word) ? 1 : 0)))
    return (row) => columns.some((column, at) => isPresent(column, row) && hits[at][column.values[row]] === 1)
  })
}

const knownFolded = new WeakMap<readonly string[], string[]>()

async function foldedOf(dictionary: readonly string[], pace: Pace): Promise<string[]> {
  const known = knownFolded.get(dictionary)
  if (known) return known
  const folded: string[] = []
  for (const entry of dictionary) {
    folded.push(foldText(entry))
    if (folded.length % 4096 === 0) await pace()
  }
  knownFolded.set(dictionary, folded)
  return folded
}

function conditionTest(frame: Frame, condition: Condition): Test {
  const column = columnOf(frame, condition.key)
  if (!column) return () => false
  if ('oneOf' in condition) {
    if (column.kind !== 'text') return () => false
    const wanted = Uint8Array.from(column.dictionary, (entry) => (condition.oneOf.includes(entry) ? 1 : 0))
    return (row) => isPresent(column, row) && wanted[column.values[row]] === 1
  }
  if (column.kind === 'text') return () => false
  const { from = -Infinity, to } = condition
  return (row) => {
    const value = column.values[row]
    return isPresent(column, row) && value >= from && (to === undefined || value < to)
  }
}

const isPresent = (column: Column, row: number) => column.valid === null || column.valid[row] === 1
