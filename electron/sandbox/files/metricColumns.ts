import type { SandboxVenue } from '../market/venues.ts'
import { servedColumnsOf, type SandboxColumn } from '../access/datasets.ts'
import type { SchemaElement } from 'hyparquet'
import type { ColumnSource } from 'hyparquet-writer'
import type { TimeColumnType } from '../faults/faults.ts'
import type { GeneratedRows } from './fileRows.ts'
import type { MetricFileRecipe } from './fileRecipe.ts'

const unitsPerMs = { MILLIS: 1n, MICROS: 1000n, NANOS: 1_000_000n }
const unitByType = {
  ms: 'MILLIS',
  us: 'MICROS',
  ns: 'NANOS',
  naiveMs: 'MILLIS',
  naiveUs: 'MICROS',
  naiveNs: 'NANOS',
} as const

/**
 * Returns the type of the time column: a timestamp without a time zone, as real services write it and their clients
 * expect it, unless a fault asks for another one.
 */
const timeTypeOf = ({ faults }: MetricFileRecipe): TimeColumnType => faults.time ?? 'naiveMs'

const unitNameOf = (type: TimeColumnType) => (type === 'int64' ? 'MILLIS' : unitByType[type])

function timeElement(type: TimeColumnType): SchemaElement {
  const element: SchemaElement = { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' }
  if (type === 'int64') return element
  return {
    ...element,
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: !type.startsWith('naive'), unit: unitNameOf(type) },
  }
}

const isRatio = ({ kind }: SandboxColumn) => kind === 'ratio' || kind === 'fraction'

/**
 * Returns the type of a column: some venues' files have counts as 32-bit integers and ratios as 32-bit floats;
 * everything else is a double.
 */
function typeOf(column: SandboxColumn, { kind }: SandboxVenue): 'INT32' | 'FLOAT' | 'DOUBLE' {
  if (column.kind === 'count' && kind !== 'venuec-perps') return 'INT32'
  return isRatio(column) && kind === 'venueb-perps' ? 'FLOAT' : 'DOUBLE'
}

/** Replaces NaN by null, unless a fault asks for non-finite ratios. */
function withNulls(values: Float64Array, isNonFinite: boolean): ColumnSource['data'] {
  if (!values.some(Number.isNaN)) return values
  if (!isNonFinite) return Array.from(values, (value) => (Number.isNaN(value) ? null : value))
  return Array.from(values, (value, index) => {
    if (!Number.isNaN(value)) return value
    return index % 3 === 0 ? Number.NaN : index % 3 === 1 ? Infinity : -Infinity
  })
}

const EXTRA_COLUMN = 'writer_sequence'

/** Builds the schema of a metric file, in which the types of the columns vary with the venue. */
export function servedFileSchema(recipe: MetricFileRecipe, dataset: string): SchemaElement[] {
  const columns = servedColumnsOf(dataset).map((column): SchemaElement => ({
    name: column.name,
    type: typeOf(column, recipe.venue),
    repetition_type: 'OPTIONAL',
  }))
  const extra: SchemaElement = { name: EXTRA_COLUMN, type: 'DOUBLE', repetition_type: 'OPTIONAL' }
  return [timeElement(timeTypeOf(recipe)), ...columns, ...(recipe.faults.extraColumn ? [extra] : [])]
}

/** Converts rows to the column data of a metric file. */
export function metricData(
  recipe: MetricFileRecipe,
  dataset: string,
  { timeMs, columns }: GeneratedRows,
): ColumnSource[] {
  const factor = unitsPerMs[unitNameOf(timeTypeOf(recipe))]
  const time = BigInt64Array.from(timeMs, (value) => BigInt(value) * factor)
  const data = servedColumnsOf(dataset).map((column, index): ColumnSource => ({
    name: column.name,
    data: withNulls(columns[index], Boolean(recipe.faults.nonFinite) && isRatio(column)),
    // Building a dictionary of doubles would take longer than writing the smaller file saves.
    encoding: column.kind === 'count' ? undefined : 'PLAIN',
  }))
  const extra: ColumnSource = { name: EXTRA_COLUMN, data: Float64Array.from(timeMs, (_, index) => index) }
  return [{ name: 'time', data: time }, ...data, ...(recipe.faults.extraColumn ? [extra] : [])]
}
