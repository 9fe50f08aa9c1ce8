import type { ColumnMetaData } from 'hyparquet'
import { type DataPage, readChunk, type ValuePage, visitPages } from './columnPages.ts'
import { decodeNumbers, type ValueReading } from './numberValues.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'

/** Rows [from, to) of a row group, and where the first of them goes. */
export interface GroupRows {
  from: number
  to: number
  groupRows: number
  at: number
}

let scratch = new Float64Array(0)

const scratchOf = (count: number) => {
  if (scratch.length < count) scratch = new Float64Array(count * 2)
  return scratch
}

/** Decodes a column's rows of one row group. @returns how many are null */
export function readNumberChunk(
  file: ParquetFile,
  column: ParquetColumn,
  chunk: ColumnMetaData,
  reading: ValueReading,
  rows: GroupRows,
  values: Float64Array,
  valid: Uint8Array | null,
): number {
  let dictionary: Float64Array | null = null
  let nulls = 0
  const onDictionary = (page: ValuePage) => {
    dictionary = new Float64Array(page.present)
    decodeNumbers(page, reading, null, dictionary, 0)
  }
  const onData = (page: DataPage, firstRow: number) => {
    const from = Math.max(rows.from - firstRow, 0)
    const to = Math.min(rows.to - firstRow, page.rows)
    const at = rows.at + firstRow + from - rows.from
    if (!page.valid && from === 0 && to === page.rows) {
      decodeNumbers(page, reading, dictionary, values, at)
      return
    }
    const decoded = scratchOf(page.present)
    decodeNumbers(page, reading, dictionary, decoded, 0)
    if (page.valid) nulls += spread(decoded, page.valid, from, to, values, valid, at)
    else values.set(decoded.subarray(from, to), at)
  }
  const isWanted = (from: number, to: number) => from < rows.to && to > rows.from
  visitPages(readChunk(file, chunk), column, chunk, rows.groupRows, isWanted, onDictionary, onData)
  return nulls
}

/** Puts the values of a page with nulls where their rows are. @returns how many of the rows are null */
function spread(
  decoded: Float64Array,
  present: Uint8Array,
  from: number,
  to: number,
  values: Float64Array,
  valid: Uint8Array | null,
  at: number,
): number {
  let next = 0
  for (let row = 0; row < from; row++) next += present[row]
  let nulls = 0
  for (let row = from; row < to; row++) {
    const target = at + row - from
    if (present[row]) {
      values[target] = decoded[next++]
    } else {
      values[target] = NaN
      if (valid) valid[target] = 0
      nulls++
    }
  }
  return nulls
}
