import { AppError } from '#shared/contract/errors.ts'
import type { ColumnMetaData } from 'hyparquet'
import { type GroupRows, readNumberChunk } from './chunkNumbers.ts'
import { readTextChunk } from './chunkTexts.ts'
import type { ParquetColumn, ParquetFile } from './parquetFile.ts'
import type { TextCodes } from './textDictionary.ts'
import { readUnusualChunk } from './unusualChunk.ts'
import { checkBounds } from './valueBounds.ts'

/** Rows [from, to) of a file. */
export interface RowRange {
  from: number
  to: number
}

/** Target of decoded values, which are written from `at` on. */
interface Target<Values> {
  values: Values
  at: number
  /** Set to 0 where a row is null (and left alone elsewhere); give one filled with 1 where it matters. */
  valid?: Uint8Array | null
}

/**
 * Reads rows of a number, boolean (0, 1) or 64-bit integer column as doubles; NaN where null. Integers beyond 2^53 come
 * out as the nearest double; timestamps are better read with `readTimesUs`.
 * @returns how many of the rows are null
 */
export function readNumbers(file: ParquetFile, name: string, range: RowRange, target: Target<Float64Array>): number {
  const column = columnOf(file, name)
  const { type } = column
  const { values, valid = null } = target
  if (type === 'text') throw new AppError('bad-input', `${file.path}: column ${name} is text, not numbers.`)
  return readRows(file, column, range, target.at, (chunk, rows) => {
    const nulls =
      type === 'other'
        ? readUnusualChunk(file, column, chunk, rows, values, valid)
        : readNumberChunk(file, column, chunk, type, rows, values, valid)
    checkBounds(chunk, values, rows.at, rows.at + rows.to - rows.from)
    return nulls
  })
}

/** Reads rows of a timestamp column as whole microseconds, exactly (finer digits are cut off); NaN where null. */
export function readTimesUs(file: ParquetFile, name: string, range: RowRange, target: Target<Float64Array>): number {
  const column = columnOf(file, name)
  const { values, valid = null } = target
  if (!column.timestampUnit) throw new AppError('bad-input', `${file.path}: column ${name} is not a timestamp.`)
  const reading = column.timestampUnit === 'ns' ? 'nanoseconds' : 'int64'
  const nulls = readRows(file, column, range, target.at, (chunk, rows) =>
    readNumberChunk(file, column, chunk, reading, rows, values, valid),
  )
  if (column.timestampUnit === 'ms') {
    const end = target.at + range.to - range.from
    for (let i = target.at; i < end; i++) values[i] *= 1000
  }
  return nulls
}

/**
 * Reads rows of a text column as codes of `dictionary`, which grows with every text not seen before; -1 where null
 * (255 in bytes).
 * @returns how many of the rows are null
 */
export function readTexts(
  file: ParquetFile,
  name: string,
  range: RowRange,
  dictionary: TextCodes,
  target: Target<Int32Array | Uint8Array>,
): number {
  const column = columnOf(file, name)
  if (column.type !== 'text') throw new AppError('bad-input', `${file.path}: column ${name} is not text.`)
  return readRows(file, column, range, target.at, (chunk, rows) =>
    readTextChunk(file, column, chunk, rows, dictionary, target.values, target.valid ?? null),
  )
}

function columnOf(file: ParquetFile, name: string): ParquetColumn {
  const column = file.columns[file.indexOf(name)]
  if (!column) throw new AppError('bad-input', `${file.path}: column ${name} is missing.`)
  return column
}

/** Calls `read` for each row group that has some of the rows; `at` is where the first of all rows goes. */
function readRows(
  file: ParquetFile,
  column: ParquetColumn,
  { from, to }: RowRange,
  at: number,
  read: (chunk: ColumnMetaData, rows: GroupRows) => number,
): number {
  const index = file.columns.indexOf(column)
  let nulls = 0
  for (const { startRow, rows: groupRows, chunks } of file.rowGroups) {
    const first = Math.max(from, startRow)
    const last = Math.min(to, startRow + groupRows)
    if (first >= last) continue
    try {
      nulls += read(chunks[index], { from: first - startRow, to: last - startRow, groupRows, at: at + first - from })
    } catch (error) {
      if (error instanceof AppError) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw file.damaged(`column ${column.name} cannot be read (${why})`, error)
    }
  }
  return nulls
}
