import { createHash } from 'node:crypto'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { PROVENANCE_KEY } from '#shared/contract/engineOrigin.ts'
import { plausibleRows } from '#core/parquet/fileLimits.ts'
import type { FileVersion } from '#core/parquet/fileVersion.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers } from '#core/parquet/readColumn.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { plainPlural } from '#shared/units/plurals.ts'

/** A Parquet file with rows of a metric dataset, written by another program; a series can have several such parts. */
export interface MetricPart {
  path: string
  dataset: MetricDatasetId
  stepMs: number
}

/** Consecutive rows of a part whose times have no gap. */
interface TimeRun {
  firstMs: number
  rows: number
  /** First row of the run in the file. */
  fromRow: number
}

/** Facts about a part whose values have all been read. */
export interface PartFacts {
  version: FileVersion
  sha256: string
  runs: TimeRun[]
  /** Entries of the footer's key-value metadata that are worth showing. */
  metadata: Record<string, string>
  /** Program that claims to have written the file. */
  createdBy: string
}

const ROWS_PER_READ = 100_000
/** Maximum number of runs of consecutive times in a part; a part with more has gaps nearly everywhere. */
const MOST_RUNS = 200_000
const EARLIEST_MS = Date.UTC(2000, 0)
const LATEST_MS = Date.UTC(2100, 0)
/** Metadata keys worth showing; other entries, such as a schema in JSON, can be long. */
const shownKeys = [PROVENANCE_KEY, 'org.apache.spark.version']
const MOST_METADATA_CHARACTERS = 65_536

/** Reads all values of a part; throws `corrupt-file` with the file and the reason if it is invalid. */
export function checkMetricPart({ path, dataset, stepMs }: MetricPart): PartFacts {
  using file = new ParquetFile(path, { remember: false })
  if (file.rows > plausibleRows(file.sizeBytes))
    throw file.damaged(`it claims ${plainPlural(file.rows, 'row')}, which is more than it can have`)
  checkSchema(file, dataset)
  const runs: TimeRun[] = []
  for (let from = 0; from < file.rows; from += ROWS_PER_READ) {
    const rows = rowsOf(file, dataset, from, Math.min(from + ROWS_PER_READ, file.rows))
    addRuns(file, rows.timeMs, from, stepMs, runs)
  }
  const hash = createHash('sha256')
  for (const bytes of file.parts()) hash.update(bytes)
  const entries = (file.metadata.key_value_metadata ?? []).flatMap(({ key, value }): [string, string][] =>
    shownKeys.includes(key) && value !== undefined && value.length <= MOST_METADATA_CHARACTERS ? [[key, value]] : [],
  )
  return {
    version: { sizeBytes: file.sizeBytes, changedAtMs: file.changedAtMs },
    sha256: hash.digest('hex'),
    runs,
    metadata: Object.fromEntries(entries),
    createdBy: (file.metadata.created_by ?? '').slice(0, 300),
  }
}

/** Rows [from, to) of a validated part. */
export interface PartRange extends Pick<MetricPart, 'path' | 'dataset'> {
  version: FileVersion
  from: number
  to: number
}

export function readMetricPart({ path, dataset, version, from, to }: PartRange): MetricRows {
  using file = new ParquetFile(path, { known: version })
  return rowsOf(file, dataset, from, to)
}

function checkSchema(file: ParquetFile, dataset: MetricDatasetId): void {
  const names = file.columns.map(({ name }) => name)
  const expected = ['time', ...metricDataset(dataset).columns.map(({ name }) => name)]
  const missing = expected.filter((name) => !names.includes(name))
  if (missing.length > 0) throw file.damaged(`column “${missing[0]}” of ${dataset} is missing`)
  const unexpectedName = names.find((name, index) => !expected.includes(name) || names.indexOf(name) !== index)
  if (unexpectedName !== undefined) throw file.damaged(`column “${unexpectedName}” is not one of ${dataset}`)
  for (const { name, type, timestampUnit } of file.columns) {
    const wanted = name === 'time' ? 'int64' : 'double'
    if (type === wanted && timestampUnit === null) continue
    const found = timestampUnit === null ? type.toUpperCase() : `TIMESTAMP in ${timestampUnit}`
    const milliseconds = name === 'time' ? ' milliseconds' : ''
    throw file.damaged(`column “${name}” is ${found}, not ${wanted.toUpperCase()}${milliseconds}`)
  }
}

function rowsOf(file: ParquetFile, dataset: MetricDatasetId, from: number, to: number): MetricRows {
  const read = (name: string) => {
    const values = new Float64Array(to - from)
    const nulls = readNumbers(file, name, { from, to }, { values, at: 0 })
    let missing = 0
    for (const value of values) {
      if (Number.isNaN(value)) missing++
      else if (!Number.isFinite(value)) throw file.damaged(`column “${name}” holds an infinite value`)
    }
    if (missing > nulls) throw file.damaged(`column “${name}” holds NaN where a missing value is null`)
    if (name === 'time' && nulls > 0) throw file.damaged('a row has no time')
    return values
  }
  return { dataset, timeMs: read('time'), columns: metricDataset(dataset).columns.map(({ name }) => read(name)) }
}

const timeText = (ms: number) => new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z')

/** Adds the runs of a block of times; the first may continue the last run of the block before. */
function addRuns(file: ParquetFile, timeMs: Float64Array, from: number, stepMs: number, runs: TimeRun[]): void {
  let run = runs.at(-1)
  let nextMs = run ? run.firstMs + run.rows * stepMs : -Infinity
  for (const [row, ms] of timeMs.entries()) {
    if (!(ms >= EARLIEST_MS && ms < LATEST_MS))
      throw file.damaged(`the time ${ms} is not in this century: times are milliseconds since 1970`)
    if (ms % stepMs !== 0) throw file.damaged(`the time ${timeText(ms)} is not the start of an interval`)
    if (run && ms === nextMs) run.rows++
    else {
      if (run && ms === nextMs - stepMs) throw file.damaged(`the time ${timeText(ms)} appears twice`)
      if (run && ms < nextMs) throw file.damaged(`the time ${timeText(ms)} comes after a later one`)
      if (runs.length >= MOST_RUNS) throw file.damaged(`its times have ${MOST_RUNS} gaps or more`)
      run = { firstMs: ms, rows: 1, fromRow: from + row }
      runs.push(run)
    }
    nextMs = ms + stepMs
  }
}
