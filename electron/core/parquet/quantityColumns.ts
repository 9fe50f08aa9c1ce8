import type { ParquetColumn, ParquetFile } from './parquetFile.ts'
import type { FileRowRange } from './readColumn.ts'

/** Converted types whose numbers are not quantities. */
const notQuantityPattern =
  /^(DATE|TIME_MILLIS|TIME_MICROS|TIMESTAMP_MILLIS|TIMESTAMP_MICROS|INTERVAL|BSON|JSON|UTF8|ENUM)$/
const numericLogicalPattern = /^(DECIMAL|FLOAT16|INTEGER)$/

/** Tells whether the values of a column are quantities. */
export function isNumeric({ type, timestampUnit, element }: ParquetColumn): boolean {
  const { converted_type: converted, logical_type: logical } = element
  if (timestampUnit || type === 'boolean' || type === 'text') return false
  if (converted && notQuantityPattern.test(converted)) return false
  if (logical && !numericLogicalPattern.test(logical.type)) return false
  return type !== 'other' || /^(DECIMAL|UINT_32|UINT_64)$/.test(converted ?? '') || logical !== undefined
}

/** Tells whether the values of a column are days. */
export const isDateColumn = ({ element }: ParquetColumn): boolean =>
  element.converted_type === 'DATE' || element.logical_type?.type === 'DATE'

/** Divides the rows of a file into batches, which end with a row group if groups are short enough. */
export function* batchesOf({ rowGroups, rows }: ParquetFile, batchRows: number): Generator<FileRowRange> {
  let from = 0
  for (const { startRow, rows: count } of rowGroups) {
    if (startRow > from && startRow + count - from > batchRows) {
      yield { from, to: startRow }
      from = startRow
    }
    while (startRow + count - from > batchRows) {
      yield { from, to: from + batchRows }
      from += batchRows
    }
  }
  if (from < rows) yield { from, to: rows }
}
