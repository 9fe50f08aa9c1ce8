import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type EventArray, type EventColumns, eventFields, sideCodes } from '#shared/metrics/events.ts'
import type { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from '#core/parquet/readColumn.ts'
import type { NumberCondition } from '#core/parquet/decodeNumbers.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import type { EventColumn, ValueRule } from './eventColumns.ts'
import { type EventRowGroup, nullsError } from './eventRowGroups.ts'

/** Arrays of events by field, for `capacity` events. */
interface EventBuffers {
  capacity: number
  arrays: Record<string, EventArray>
}

/**
 * Arrays of the last decoder of each source, reused because the thread would otherwise collect garbage at every task.
 */
const unusedBuffersBySource = new Map<RawDatasetId, EventBuffers>()

/**
 * Decodes row groups of one source into events; the arrays are reused for the next group, and by the next decoder once
 * this one is released.
 */
export class EventDecoder {
  private readonly source: RawDatasetId
  private readonly timeColumn: string
  private readonly columns: readonly EventColumn[]
  private buffers: EventBuffers

  constructor(source: RawDatasetId, timeColumn: string, columns: readonly EventColumn[]) {
    this.source = source
    this.timeColumn = timeColumn
    this.columns = columns
    this.buffers = unusedBuffersBySource.get(source) ?? { capacity: -1, arrays: {} }
    unusedBuffersBySource.delete(source)
  }

  release(): void {
    unusedBuffersBySource.set(this.source, this.buffers)
  }

  /** Decodes the events of a row group in file order, which need not be time order. */
  decode(file: ParquetFile, rowGroup: EventRowGroup): EventColumns {
    const { rows, startRow } = rowGroup
    this.reserve(rows)
    const range = { from: startRow, to: startRow + rows }
    const { arrays } = this.buffers
    const timeUs = arrays.timeUs as Float64Array
    const nulls = readTimesUs(file, this.timeColumn, range, { values: timeUs, at: 0 })
    if (nulls > 0) throw nullsError(file.path, this.timeColumn, nulls)
    for (const { field, column, rule } of this.columns) {
      const values = arrays[field]
      const condition = conditionOf(rule)
      const missing =
        values instanceof Uint8Array
          ? readSides(file, column, range, values, rows)
          : readNumbers(file, column, range, { values, at: 0 }, condition)
      if (missing > 0) throw nullsError(file.path, column, missing)
      if (condition.isBroken) throw valueError(file, column, rule, values as Float64Array)
    }
    const events: Record<string, EventArray> = {}
    for (const [name, array] of Object.entries(arrays)) events[name] = array.subarray(0, rows)
    return events as EventColumns
  }

  private reserve(rows: number): void {
    if (rows <= this.buffers.capacity) return
    const arrays = Object.fromEntries(
      eventFields[this.source].map(({ name, type }) => [
        name,
        type === 'uint8' ? new Uint8Array(rows) : new Float64Array(rows),
      ]),
    )
    this.buffers = { capacity: rows, arrays }
  }
}

const sideTexts = Object.entries(sideCodes)
  .toSorted(([, a], [, b]) => a - b)
  .map(([text]) => text)

function readSides(
  file: ParquetFile,
  column: string,
  range: { from: number; to: number },
  values: Uint8Array,
  rows: number,
): number {
  const dictionary = new TextDictionary(sideTexts)
  const nulls = readTexts(file, column, range, dictionary, { values, at: 0 })
  if (nulls > 0 || dictionary.texts.length === sideTexts.length) return nulls
  for (let i = 0; i < rows; i++) {
    if (values[i] < sideTexts.length) continue
    const text = dictionary.texts[values[i]] ?? 'something else'
    const quotedText = JSON.stringify(text.slice(0, 40))
    throw new AppError('corrupt-file', `${file.path}: column ${column} holds ${quotedText}, not buy, sell or unknown.`)
  }
  return 0
}

/** Smallest value that each rule allows; every rule allows values up to the largest finite number. */
const leastAllowed: Record<Exclude<ValueRule, 'a side'>, number> = {
  'above 0': Number.MIN_VALUE,
  '0 or more': 0,
  'a number': -Number.MAX_VALUE,
}

/** Returns the index of the first value that breaks the rule, or `to`. */
function firstBreaking(rule: ValueRule, values: Float64Array, from: number, to: number): number {
  const least = rule === 'a side' ? -Infinity : leastAllowed[rule]
  let i = from
  while (i < to && values[i] >= least && values[i] <= Number.MAX_VALUE) i++
  return i
}

const conditionOf = (rule: ValueRule): NumberCondition => ({
  isMet: (values, from, to) => firstBreaking(rule, values, from, to) === to,
  isBroken: false,
})

function valueError(file: ParquetFile, column: string, rule: ValueRule, values: Float64Array): AppError {
  const value = values[firstBreaking(rule, values, 0, values.length)]
  return new AppError('corrupt-file', `${file.path}: column ${column} holds ${value}; it must be ${rule}.`)
}
