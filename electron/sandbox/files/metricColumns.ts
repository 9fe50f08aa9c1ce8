import type { MetricColumn } from '#shared/catalog/column.ts'
import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { SchemaElement } from 'hyparquet'
import type { ColumnSource } from 'hyparquet-writer'
import type { FileFaults, TimeType } from '../faults/faults.ts'
import { hashOf } from '../market/random.ts'
import type { MetricFileJob } from './fileJob.ts'

/** How the writers of this world keep time: mostly plain milliseconds, sometimes a Parquet timestamp. */
const timeHabits: TimeType[] = ['int64', 'int64', 'int64', 'int64', 'ms', 'us', 'ns', 'naiveUs']

const perMillisecond = { MILLIS: 1n, MICROS: 1000n, NANOS: 1_000_000n }
const unitOf = {
  ms: 'MILLIS',
  us: 'MICROS',
  ns: 'NANOS',
  naiveMs: 'MILLIS',
  naiveUs: 'MICROS',
  naiveNs: 'NANOS',
} as const

interface FileColumn {
  schema: SchemaElement
  data: ColumnSource
}

function timeColumn(timeMs: Float64Array, type: TimeType): FileColumn {
  const unit = type === 'int64' ? 'MILLIS' : unitOf[type]
  const isAdjustedToUTC = !type.startsWith('naive')
  const schema: SchemaElement = { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' }
  if (type !== 'int64') schema.logical_type = { type: 'TIMESTAMP', isAdjustedToUTC, unit }
  const data = BigInt64Array.from(timeMs, (value) => BigInt(value) * perMillisecond[unit])
  return { schema, data: { name: 'time', data } }
}

/** Some venues' writers keep counts as 32-bit integers and ratios as 32-bit floats; all else is double. */
function typeOf({ kind }: MetricColumn, venue: string): 'INT32' | 'FLOAT' | 'DOUBLE' {
  if (kind === 'count' && venue !== 'venuec-perps') return 'INT32'
  if ((kind === 'ratio' || kind === 'fraction') && venue === 'venueb-perps') return 'FLOAT'
  return 'DOUBLE'
}

/** NaN stands for null, unless the file is to show what careless writers leave in ratios. */
function nullable(values: Float64Array, isNonFinite: boolean): ColumnSource['data'] {
  if (!values.some(Number.isNaN)) return values
  if (!isNonFinite) return Array.from(values, (value) => (Number.isNaN(value) ? null : value))
  return Array.from(values, (value, index) => {
    if (!Number.isNaN(value)) return value
    return index % 3 === 0 ? Number.NaN : index % 3 === 1 ? Infinity : -Infinity
  })
}

function metricColumn(column: MetricColumn, values: Float64Array, venue: string, shape: FileFaults): FileColumn {
  const type = typeOf(column, venue)
  const isNonFinite = Boolean(shape.nonFinite) && (column.kind === 'ratio' || column.kind === 'fraction')
  const data = nullable(values, isNonFinite)
  return {
    schema: { name: column.name, type, repetition_type: 'OPTIONAL' },
    data: { name: column.name, data, encoding: type === 'INT32' ? undefined : 'PLAIN' },
  }
}

/** The columns of a metric file in one writer's habits, which go by dataset and venue. */
export function metricColumns(job: MetricFileJob, { dataset, timeMs, columns }: MetricRows) {
  const habit = timeHabits[hashOf('time', dataset, job.venue) % timeHabits.length]
  const all = [
    timeColumn(timeMs, job.shape.time ?? habit),
    ...metricDataset(dataset).columns.map((column, index) =>
      metricColumn(column, columns[index], job.venue, job.shape),
    ),
  ]
  if (job.shape.extraColumn) {
    const sequence = Float64Array.from(timeMs, (_, index) => index)
    all.push({
      schema: { name: 'writer_sequence', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
      data: { name: 'writer_sequence', data: sequence },
    })
  }
  return { schema: all.map(({ schema }) => schema), data: all.map(({ data }) => data) }
}
