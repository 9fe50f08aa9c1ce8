import type { ParquetColumn, ParquetFile } from '#core/readers/parquetFile.ts'
import { readNumbers, readTexts } from '#core/readers/readColumn.ts'
import { TextDictionary } from '#core/readers/textDictionary.ts'
import type { ColumnFacts } from '#core/store/fileFacts.ts'

type Range = Pick<ColumnFacts, 'nulls' | 'min' | 'max'>

/** From the file's own statistics where they say enough, else by reading the column. */
export function columnFacts(file: ParquetFile, index: number): ColumnFacts {
  const column = file.columns[index]
  const range = statedRange(file, index, column) ?? readRange(file, column)
  return { name: column.name, type: typeWords(column), ...range }
}

function typeWords({ type, timestampUnit, element }: ParquetColumn): string {
  if (timestampUnit === null) return type
  const { logical_type: logical } = element
  const isUtc = logical?.type !== 'TIMESTAMP' || logical.isAdjustedToUTC
  return `timestamp[${timestampUnit}${isUtc ? ', UTC' : ''}]`
}

const perMs = { ms: 1, us: 1000, ns: 1_000_000 } as const

/** Null where the statistics leave something open, or name a bound that does not count (NaN, infinite). */
function statedRange(file: ParquetFile, index: number, column: ParquetColumn): Range | null {
  const isText = column.type === 'text' || column.type === 'other'
  let nulls = 0
  let min = Infinity
  let max = -Infinity
  for (const { chunks, rows } of file.rowGroups) {
    const { statistics } = chunks[index]
    const stated = column.nullable ? statistics?.null_count : 0
    if (stated === undefined) return null
    nulls += Number(stated)
    if (isText || Number(stated) === rows) continue
    const low = boundOf(statistics?.min_value ?? statistics?.min)
    const high = boundOf(statistics?.max_value ?? statistics?.max)
    if (!Number.isFinite(low) || !Number.isFinite(high)) return null
    min = Math.min(min, low)
    max = Math.max(max, high)
  }
  const scale = column.timestampUnit === null ? 1 : perMs[column.timestampUnit]
  return min > max ? { nulls, min: null, max: null } : { nulls, min: min / scale, max: max / scale }
}

function boundOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  return NaN
}

function readRange(file: ParquetFile, column: ParquetColumn): Range {
  const range = { from: 0, to: file.rows }
  if (column.type === 'text') {
    const values = new Int32Array(file.rows)
    return { nulls: readTexts(file, column.name, range, new TextDictionary(), { values, at: 0 }), min: null, max: null }
  }
  const values = new Float64Array(file.rows)
  const nulls = readNumbers(file, column.name, range, { values, at: 0 })
  let min = Infinity
  let max = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    if (value < min) min = value
    if (value > max) max = value
  }
  const scale = column.timestampUnit === null ? 1 : perMs[column.timestampUnit]
  return min > max ? { nulls, min: null, max: null } : { nulls, min: min / scale, max: max / scale }
}
