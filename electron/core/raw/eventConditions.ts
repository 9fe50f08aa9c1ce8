import { eventValueColumns, type ValueRule } from '#core/compute/eventColumns.ts'
import { isInTimeOrder, timeOrder } from '#core/compute/timeOrder.ts'
import type { ParquetFile } from '#core/parquet/parquetFile.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventConditions, FileIssue } from '#shared/contract/areas/raw.ts'
import { agree } from '#shared/units/plurals.ts'
import type { ValueChecks } from '#core/parquet/checkValues.ts'
import { type EventBatch, EventBatches } from './eventBatches.ts'

interface ReadEvents {
  conditions: EventConditions
  /** Number of events per UTC day of the venue's time, by day number. */
  days: ReadonlyMap<number, number>
  /** Deviations of the rows from what the catalog documents. */
  issues: FileIssue[]
}

/**
 * Reads all events of a file whose columns are valid.
 * @param onBatch called after each batch, with the number of rows read so far
 */
export function readConditions(
  file: ParquetFile,
  dataset: RawDatasetId,
  onBatch: (rows: number, batch: EventBatch) => void = () => {},
  checks: ValueChecks | null = null,
): ReadEvents {
  const batches = new EventBatches(file, dataset, checks)
  const times = new TimeTally()
  const arrivals = new TimeTally()
  const duplicates = new DuplicateTally()
  const values = new ValueTally(dataset)
  const kinds = { modelledArrivals: 0, modelledTimes: 0 }
  const undocumented = { kinds: 0, sides: 0 }
  let rows = 0
  for (const batch of batches) {
    times.add(batch.timeUs, batch.rows)
    arrivals.add(batch.arrivalUs, batch.rows)
    duplicates.add(batch)
    values.add(batch, UNKNOWN_SIDE)
    kinds.modelledArrivals += countCode(batch.arrivalKind, batch.rows, MODELLED)
    undocumented.kinds += countCodesFrom(batch.arrivalKind, batch.rows, KNOWN_KIND_COUNT)
    if (batch.timeKind) kinds.modelledTimes += countCode(batch.timeKind, batch.rows, MODELLED)
    if (batch.side) undocumented.sides += countCodesFrom(batch.side, batch.rows, KNOWN_SIDE_COUNT)
    rows += batch.rows
    onBatch(rows, batch)
  }
  const isTrades = dataset === 'trades'
  const isQuotes = dataset === 'quotes'
  return {
    conditions: {
      events: file.rows,
      firstMs: msOf(times.firstUs),
      lastMs: msOf(times.lastUs),
      firstArrivalMs: msOf(arrivals.firstUs),
      lastArrivalMs: msOf(arrivals.lastUs),
      longestSilenceMs: times.longestSilenceUs / 1000,
      silenceStartMs: times.silenceStartUs === null ? null : times.silenceStartUs / 1000,
      duplicates: duplicates.count,
      outOfOrder: times.outOfOrder,
      arrivalsOutOfOrder: arrivals.outOfOrder,
      crossedQuotes: isQuotes ? values.crossedQuotes : null,
      negativeSpreads: isQuotes ? values.negativeSpreads : null,
      zeroSizes: values.hasSizes ? values.zeroSizes : null,
      unknownSides: isTrades ? values.unknownSides : null,
      ...kinds,
      unusable: values.unusable,
    },
    days: times.days,
    issues: [
      ...rowIssue(times.missing, 'without exchange_timestamp'),
      ...rowIssue(arrivals.missing, 'without local_timestamp'),
      ...rowIssue(
        undocumented.kinds,
        `with a local_timestamp_kind that is not measured or modelled${examplesOf(batches.kinds.texts, KNOWN_KIND_COUNT)}`,
      ),
      ...rowIssue(
        undocumented.sides,
        `with a side that is not buy, sell or unknown${examplesOf(batches.sides.texts, KNOWN_SIDE_COUNT)}`,
      ),
    ],
  }
}

/** Code of `unknown`, the last of the documented sides. */
const UNKNOWN_SIDE = 2
/** Number of documented sides; they have the lowest codes. */
const KNOWN_SIDE_COUNT = 3
/** Code of the kind `modelled`. */
const MODELLED = 1
/** Number of documented kinds; they have the lowest codes. */
const KNOWN_KIND_COUNT = 2

function countCode(codes: Uint8Array, rows: number, code: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) if (codes[row] === code) count++
  return count
}

function countCodesFrom(codes: Uint8Array, rows: number, first: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) if (codes[row] >= first) count++
  return count
}

const rowIssue = (count: number, message: string): FileIssue[] =>
  count === 0 ? [] : [{ level: 'error', message: `${agree(count, 'One row', `${count} rows`)} ${message}.` }]

const examplesOf = (texts: readonly string[], knownCount: number) =>
  texts.length > knownCount
    ? ` (${texts
        .slice(knownCount, knownCount + 3)
        .map((text) => JSON.stringify(text.slice(0, 30)))
        .join(', ')})`
    : ''

const US_PER_DAY = 86_400_000_000

/** Tallies the times of events by one clock, in microseconds: their order, the longest silence, and events per day. */
class TimeTally {
  firstUs = Infinity
  lastUs = -Infinity
  /** Number of events that come after an event with a later time. */
  outOfOrder = 0
  missing = 0
  longestSilenceUs = 0
  silenceStartUs: number | null = null
  /** Number of events per UTC day, by day number. */
  readonly days = new Map<number, number>()

  add(timesUs: Float64Array, rows: number): void {
    let latestUs = this.lastUs
    let day = NaN
    let dayStartUs = 0
    let dayEndUs = 0
    let dayEvents = 0
    for (let row = 0; row < rows; row++) {
      const timeUs = timesUs[row]
      if (!(timeUs >= dayStartUs && timeUs < dayEndUs)) {
        if (Number.isNaN(timeUs)) {
          this.missing++
          continue
        }
        this.countDay(day, dayEvents)
        day = Math.floor(timeUs / US_PER_DAY)
        dayStartUs = day * US_PER_DAY
        dayEndUs = dayStartUs + US_PER_DAY
        dayEvents = 0
      }
      dayEvents++
      if (timeUs < latestUs) {
        this.outOfOrder++
        if (timeUs < this.firstUs) this.firstUs = timeUs
        continue
      }
      const silenceUs = timeUs - latestUs
      if (silenceUs > this.longestSilenceUs && silenceUs < Infinity) {
        this.longestSilenceUs = silenceUs
        this.silenceStartUs = latestUs
      }
      latestUs = timeUs
      if (timeUs < this.firstUs) this.firstUs = timeUs
    }
    this.lastUs = latestUs
    this.countDay(day, dayEvents)
  }

  private countDay(day: number, events: number): void {
    if (events > 0) this.days.set(day, (this.days.get(day) ?? 0) + events)
  }
}

/** Converts microseconds to milliseconds; null for an infinite time, which means that there was no event. */
const msOf = (timeUs: number): number | null => (Number.isFinite(timeUs) ? timeUs / 1000 : null)

/** Counts the unusable and suspicious values of events. */
class ValueTally {
  crossedQuotes = 0
  negativeSpreads = 0
  zeroSizes = 0
  unknownSides = 0
  unusable = 0
  private readonly rules: { column: string; rule: ValueRule }[]
  private readonly sizeIndexes: number[]
  private readonly isQuotes: boolean

  constructor(dataset: RawDatasetId) {
    this.rules = eventValueColumns(dataset).filter(({ rule }) => rule !== 'a side')
    this.sizeIndexes = this.rules.flatMap(({ column }, index) => (/amount|interest/.test(column) ? [index] : []))
    this.isQuotes = dataset === 'quotes'
  }

  get hasSizes(): boolean {
    return this.sizeIndexes.length > 0
  }

  /** @param unknownCode the code of the unknown side */
  add({ rows, values, side }: EventBatch, unknownCode: number): void {
    this.rules.forEach(({ rule }, index) => (this.unusable += countUnusable(values[index], rows, rule)))
    this.zeroSizes += countZeros(
      this.sizeIndexes.map((index) => values[index]),
      rows,
    )
    if (side) for (let row = 0; row < rows; row++) if (side[row] === unknownCode) this.unknownSides++
    if (this.isQuotes) this.addQuotes(values, rows)
  }

  private addQuotes([bid, , ask]: readonly Float64Array[], rows: number): void {
    for (let row = 0; row < rows; row++) {
      // A price of 0 means that this side of the book is empty.
      if (!(bid[row] > 0 && ask[row] > 0) || bid[row] < ask[row]) continue
      this.crossedQuotes++
      if (bid[row] > ask[row]) this.negativeSpreads++
    }
  }
}

function countUnusable(values: Float64Array, rows: number, rule: ValueRule): number {
  const lowest = rule === 'a number' ? -Number.MAX_VALUE : rule === 'above 0' ? Number.MIN_VALUE : 0
  let count = 0
  for (let row = 0; row < rows; row++) if (!(values[row] >= lowest && values[row] < Infinity)) count++
  return count
}

function countZeros(columns: readonly Float64Array[], rows: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) {
    for (const column of columns) {
      if (column[row] !== 0) continue
      count++
      break
    }
  }
  return count
}

type Values = Float64Array | Int32Array

/**
 * Number of preceding events with the same time that an event is compared with; without a limit, a burst would take
 * quadratic time.
 */
const LOOK_BACK_EVENTS = 64

/**
 * Counts duplicate events: trades by time and id, other events by time and values. An event is compared with the events
 * of its batch that have the same time; across batches, only the last event of a batch is compared with the first of
 * the next batch.
 */
class DuplicateTally {
  count = 0
  private lastUs = NaN
  private lastValues: number[] = []

  add({ timeUs, rows, id, values }: EventBatch): void {
    if (rows === 0) return
    const times = timeUs.subarray(0, rows)
    const comparedColumns: Values[] = id ? [id] : values
    const order = isInTimeOrder(times) ? null : timeOrder(times)
    const rowAt = (place: number) => (order ? order[place] : place)
    const isEqual = (a: number, b: number) => comparedColumns.every((column) => column[a] === column[b])
    const first = rowAt(0)
    if (
      times[first] === this.lastUs &&
      comparedColumns.every((column, index) => column[first] === this.lastValues[index])
    )
      this.count++
    let runStart = 0
    for (let place = 1; place < rows; place++) {
      const row = rowAt(place)
      if (times[row] !== times[rowAt(runStart)]) {
        runStart = place
        continue
      }
      for (let earlierPlace = place - 1; earlierPlace >= Math.max(runStart, place - LOOK_BACK_EVENTS); earlierPlace--) {
        if (!isEqual(row, rowAt(earlierPlace))) continue
        this.count++
        break
      }
    }
    const end = rowAt(rows - 1)
    this.lastUs = times[end]
    this.lastValues = comparedColumns.map((column) => column[end])
  }
}
