import type { EventCondition } from '#shared/contract/areas/raw.ts'
import type { ParquetFile } from '#core/readers/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs, type RowRange } from '#core/readers/readColumn.ts'
import { TextDictionary } from '#core/readers/textDictionary.ts'

/** The rows of a file that satisfy all conditions, ascending. */
export function matchingRows(file: ParquetFile, conditions: readonly EventCondition[]): Uint32Array {
  const found: Uint32Array[] = []
  for (const { startRow, rows } of file.rowGroups) {
    const range = { from: startRow, to: startRow + rows }
    const isKept = new Uint8Array(rows).fill(1)
    for (const condition of conditions) apply(file, range, condition, isKept)
    const matches = new Uint32Array(rows)
    let count = 0
    for (let row = 0; row < rows; row++) {
      matches[count] = startRow + row
      count += isKept[row]
    }
    found.push(matches.slice(0, count))
  }
  const all = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const each of found) {
    all.set(each, at)
    at += each.length
  }
  return all
}

/** A column that a file does not have matches nothing. */
function apply(file: ParquetFile, range: RowRange, condition: EventCondition, isKept: Uint8Array): void {
  const column = file.columns[file.indexOf(condition.key)]
  const rows = range.to - range.from
  if (!column) {
    isKept.fill(0)
    return
  }
  if ('oneOf' in condition) {
    if (column.type !== 'text') return void isKept.fill(0)
    const dictionary = new TextDictionary(condition.oneOf)
    const codes = new Int32Array(rows)
    readTexts(file, column.name, range, dictionary, { values: codes, at: 0 })
    for (let row = 0; row < rows; row++) if (codes[row] < 0 || codes[row] >= condition.oneOf.length) isKept[row] = 0
    return
  }
  const values = new Float64Array(rows)
  const from = condition.from ?? -Infinity
  const to = condition.to ?? Infinity
  const scale = column.timestampUnit === null ? 1 : 1000
  if (column.timestampUnit === null) readNumbers(file, column.name, range, { values, at: 0 })
  else readTimesUs(file, column.name, range, { values, at: 0 })
  for (let row = 0; row < rows; row++) if (!(values[row] >= from * scale && values[row] <= to * scale)) isKept[row] = 0
}
