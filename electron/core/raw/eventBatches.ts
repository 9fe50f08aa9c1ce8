import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { eventValueColumns } from '#core/compute/eventColumns.ts'
import type { ParquetFile, ParquetRowGroup } from '#core/parquet/parquetFile.ts'
import {
  hasLongIntegers,
  readNumbers,
  readNumberTexts,
  readTexts,
  readTimesUs,
  type FileRowRange,
} from '#core/parquet/readColumn.ts'
import type { ValueChecks } from '#core/parquet/checkValues.ts'
import { type TextCodes, textHashes, TextDictionary, type TextPages } from '#core/parquet/decodeTexts.ts'

/** Some rows of a file as columns, in arrays that are reused for the next batch. */
export interface EventBatch {
  rows: number
  /** Times in microseconds; NaN if missing. */
  timeUs: Float64Array
  arrivalUs: Float64Array
  /** Indexes into `kinds`; 255 if missing. */
  arrivalKind: Uint8Array
  timeKind: Uint8Array | null
  /** Values by column (except sides); NaN if missing. */
  values: Float64Array[]
  /** Indexes into `sides`; 255 if missing. */
  side: Uint8Array | null
  /** Numeric ids, or hashes of text ids; null for a dataset without ids. */
  id: Float64Array | Int32Array | null
}

/** Maximum number of rows in a batch; a row group with more rows is read in several batches. */
const MOST_BATCH_ROWS = 2 ** 21

/** Reads the events of a file in batches; each is a row group, or part of a very large one. */
export class EventBatches {
  readonly sides = new TextDictionary(['buy', 'sell', 'unknown'])
  readonly kinds = new TextDictionary(['measured', 'modelled'])
  private readonly file: ParquetFile
  private readonly names: string[]
  private readonly batch: EventBatch
  private readonly checks: ValueChecks | null

  /** @param checks compares what is read with the file's statistics; null if they are not to be compared */
  constructor(file: ParquetFile, dataset: RawDatasetId, checks: ValueChecks | null) {
    this.file = file
    this.checks = checks
    this.names = eventValueColumns(dataset).flatMap(({ column, rule }) => (rule === 'a side' ? [] : [column]))
    const capacity = Math.min(MOST_BATCH_ROWS, Math.max(0, ...file.rowGroups.map(({ rows }) => rows)))
    const numbers = () => new Float64Array(capacity)
    // Doubles would make neighbouring ids of some 18 digits equal.
    const hasLongId = this.isText('id') || (dataset === 'trades' && hasLongIntegers(file, file.indexOf('id')))
    const has = (name: string) => file.indexOf(name) >= 0
    this.batch = {
      rows: 0,
      timeUs: numbers(),
      arrivalUs: numbers(),
      arrivalKind: new Uint8Array(capacity),
      timeKind: has('exchange_timestamp_kind') ? new Uint8Array(capacity) : null,
      values: this.names.map(numbers),
      side: dataset === 'trades' ? new Uint8Array(capacity) : null,
      id: dataset === 'trades' ? (hasLongId ? new Int32Array(capacity) : numbers()) : null,
    }
  }

  *[Symbol.iterator](): Generator<EventBatch> {
    for (const group of this.file.rowGroups) {
      const end = group.startRow + group.rows
      for (let from = group.startRow; from < end; from += MOST_BATCH_ROWS)
        yield this.read({ from, to: Math.min(from + MOST_BATCH_ROWS, end) }, group)
    }
  }

  private read(range: FileRowRange, group: ParquetRowGroup): EventBatch {
    const { file, batch, names, sides, kinds } = this
    batch.rows = range.to - range.from
    const checks = batch.rows === group.rows ? this.checks : null
    const numbers = (name: string, values: Float64Array, read = readNumbers) => {
      const nulls = read(file, name, range, { values, at: 0 })
      const index = file.indexOf(name)
      const isAsInFile = read === readNumbers || file.columns[index].timestampUnit === 'us'
      if (isAsInFile) checks?.addNumbers(index, group, values.subarray(0, batch.rows), nulls)
    }
    const texts = (name: string, dictionary: TextCodes, values: Int32Array | Uint8Array) => {
      const read = (pages?: TextPages) => readTexts(file, name, range, dictionary, { values, at: 0 }, pages)
      if (checks) checks.addTexts(file.indexOf(name), group, read)
      else read()
    }
    numbers('exchange_timestamp', batch.timeUs, readTimesUs)
    numbers('local_timestamp', batch.arrivalUs, readTimesUs)
    texts('local_timestamp_kind', kinds, batch.arrivalKind)
    if (batch.timeKind) texts('exchange_timestamp_kind', kinds, batch.timeKind)
    names.forEach((name, index) => numbers(name, batch.values[index]))
    if (batch.side) texts('side', sides, batch.side)
    if (batch.id instanceof Float64Array) numbers('id', batch.id)
    else if (batch.id && this.isText('id')) texts('id', textHashes, batch.id)
    else if (batch.id) readNumberTexts(file, 'id', range, textHashes, { values: batch.id, at: 0 })
    return batch
  }

  private isText(name: string): boolean {
    return this.file.columns[this.file.indexOf(name)]?.type === 'text'
  }
}
