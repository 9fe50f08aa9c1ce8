import { joinNumbers } from '#shared/statistics/joinNumbers.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import { type EventSource, metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import { cutEvents, type EventsOf } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { derivativePrice } from '../access/datasets.ts'
import { marketDayOf } from '../events/marketDay.ts'
import type { FileFaults } from '../faults/faults.ts'
import { withQualityFaults } from '../faults/qualityFaults.ts'
import { findInstrument } from '../market/instruments.ts'
import { numberFromText } from '../market/random.ts'
import { DayFeed } from './dayFeed.ts'
import { derivativePriceRows } from './derivativePrices.ts'
import type { GeneratedRows } from './fileRows.ts'
import type { GeneratedFile, MetricFileRecipe } from './fileRecipe.ts'
import { documentedDataset, jointDatasets } from './jointDatasets.ts'
import { metricData, servedFileSchema } from './metricColumns.ts'
import { finishTogether, ParquetFileWriter } from './parquetFile.ts'
import { coveredDays, daysOfPeriod } from './periods.ts'

const rowGroupSizes = [500, 5000, 20_000]
/**
 * Number of rows written at a time: enough for most row groups, few enough to keep those of ten datasets in memory.
 */
const FLUSH_ROWS = 5000

/** A file that is being written: rows arrive in pieces and are written in row groups. */
class MetricFile {
  private readonly recipe: MetricFileRecipe
  readonly file: ParquetFileWriter
  private readonly rowGroupSize: number
  private readonly pending = new PendingRows<GeneratedRows>()

  constructor(recipe: MetricFileRecipe, folder: string) {
    this.recipe = recipe
    const layoutHash = numberFromText('metric file', recipe.dataset, recipe.venue.id)
    this.file = new ParquetFileWriter(
      recipe,
      folder,
      servedFileSchema(recipe, recipe.dataset),
      layoutHash % 3 === 0 ? 'SNAPPY' : 'ZSTD',
    )
    this.rowGroupSize = rowGroupSizes[layoutHash % rowGroupSizes.length]
  }

  add(rows: GeneratedRows): void {
    this.pending.add(rows)
  }

  async flushIfMany(): Promise<void> {
    if (this.pending.count >= FLUSH_ROWS) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.pending.count === 0) return
    const pending = this.pending.take()
    const { quality } = this.recipe.faults
    const rows = rowsWithFaults(
      quality ? withQualityFaults(pending, quality, this.recipe) : pending,
      this.recipe.faults,
    )
    await this.file.write(metricData(this.recipe, this.recipe.dataset, rows), this.rowGroupSize)
  }
}

/** Generates the file of a recipe, and the files that result from the same work. */
export function makeMetricFiles(recipe: MetricFileRecipe, folder: string): Promise<GeneratedFile[]> {
  const datasets = jointDatasets(recipe)
  const files = datasets.map((dataset) => new MetricFile({ ...recipe, dataset }, folder))
  const write = async () => {
    for (const { rows, isDayEnd } of rowPieces(recipe, datasets)) {
      for (const [index, file] of files.entries()) file.add(rows[index])
      if (isDayEnd) for (const file of files) await file.flushIfMany()
    }
    for (const file of files) await file.flush()
  }
  return finishTogether(
    files.map(({ file }) => file),
    write,
  )
}

function* rowPieces(recipe: MetricFileRecipe, datasets: readonly string[]): Generator<RowPieces<GeneratedRows>> {
  if (recipe.dataset !== derivativePrice.id) return yield* computeMetricRows(recipe, datasets.map(documentedDataset))
  for (const rows of derivativePriceRows(recipe)) yield { rows: [rows], isDayEnd: true }
}

/**
 * Tells whether the day before a period is needed: for rows by arrival time, because the last events of that day arrive
 * after midnight, and for mark prices, because they are compared with the last trade. Trades do not need the last
 * quote, because each day begins with a quote.
 */
const needsDayBefore = (timestamp: TimestampSource, datasets: readonly MetricDatasetId[]) =>
  timestamp === 'true' || datasets.some((id) => metricDataset(id).drivingSource === 'mark_price')

/** Maximum number of events computed at a time, so that the rows of a whole day are never buffered. */
const PIECE_EVENTS = 8192

interface RowPieces<Rows extends GeneratedRows = MetricRows> {
  /** Rows of each dataset. */
  rows: Rows[]
  /** True for the last piece of the rows that one source's events of a day produce. */
  isDayEnd: boolean
}

/**
 * Computes the rows of several datasets over a recipe's period, piece by piece in time order, with the metric engine
 * and from the events of the raw files.
 */
export function* computeMetricRows(
  recipe: MetricFileRecipe,
  datasets: readonly MetricDatasetId[],
): Generator<RowPieces> {
  const instrument = findInstrument(recipe.seed, recipe.venue, recipe.symbol)
  const intervalSeconds = parseInterval(recipe.interval)
  if (!instrument || !intervalSeconds) throw new RangeError(`no such file: ${JSON.stringify(recipe)}`)
  const period = daysOfPeriod(recipe.period)
  const startMs = period.start * MS_PER_DAY
  const intervalMs = intervalSeconds * 1000
  const endMs = startMs + Math.ceil((recipe.untilMs - startMs) / intervalMs) * intervalMs
  const days = coveredDays(
    instrument,
    { start: period.start - (needsDayBefore(recipe.timestamp, datasets) ? 1 : 0), end: period.end },
    recipe.untilMs,
  )
  const computer = createMetricComputer({ datasets, intervalSeconds, startUs: startMs * 1000, endUs: endMs * 1000 })

  const eventsOf = (feed: DayFeed, day: DayNumber) => {
    const events = marketDayOf(recipe.seed, instrument, day, recipe.revision)
    return feed.next(events, Math.min((day + 1) * MS_PER_DAY, recipe.untilMs) * 1000)
  }
  const feeds = new Map<EventSource, { feed: DayFeed; nextDay: number }>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    const progress = feeds.get(source) ?? { feed: new DayFeed(source, recipe.timestamp), nextDay: 0 }
    feeds.set(source, progress)
    if (progress.nextDay === days.length) {
      computer.end(source)
    } else {
      const events = eventsOf(progress.feed, days[progress.nextDay++])
      for (let from = 0; from < events.timeUs.length; from += PIECE_EVENTS) {
        const piece = cutEvents(source, events, from, Math.min(from + PIECE_EVENTS, events.timeUs.length))
        computer.push(source, piece as unknown as EventsOf[typeof source])
        yield { rows: computer.take(), isDayEnd: false }
      }
    }
    yield { rows: computer.take(), isDayEnd: true }
  }
}

/** Rows collected until there are enough for a row group. */
export class PendingRows<Rows extends GeneratedRows = MetricRows> {
  private pieces: Rows[] = []
  count = 0

  add(rows: Rows): void {
    if (rows.timeMs.length === 0) return
    this.pieces.push(rows)
    this.count += rows.timeMs.length
  }

  /** Returns all collected rows as one piece; there must be at least one. */
  take(): Rows {
    const { pieces } = this
    this.pieces = []
    this.count = 0
    return {
      ...pieces[0],
      timeMs: joinNumbers(pieces.map(({ timeMs }) => timeMs)),
      columns: pieces[0].columns.map((_, index) => joinNumbers(pieces.map(({ columns }) => columns[index]))),
    }
  }
}

/** Interval in rows at which a row is duplicated. */
const DUPLICATE_EVERY = 37

/** Returns rows in a different order; a negative number −k−1 means an outdated version of row k. */
function reorder<Rows extends GeneratedRows>(rows: Rows, order: number[]): Rows {
  // Outdated values are doubled, so that counts stay integers.
  const pick = (column: Float64Array, outdatedFactor: number) =>
    Float64Array.from(order, (at) => (at < 0 ? column[-at - 1] * outdatedFactor : column[at]))
  return { ...rows, timeMs: pick(rows.timeMs, 1), columns: rows.columns.map((column) => pick(column, 2)) }
}

/**
 * Spoils the rows according to the faults: with `duplicates`, some rows appear twice, the outdated version first; with
 * `unsorted`, the second half of the rows comes before the first.
 */
export function rowsWithFaults<Rows extends GeneratedRows>(rows: Rows, { duplicates, unsorted }: FileFaults): Rows {
  if (!duplicates && !unsorted) return rows
  let order = Array.from(rows.timeMs, (_, index) => index)
  if (unsorted) order = [...order.slice(order.length / 2), ...order.slice(0, order.length / 2)]
  if (duplicates) order = order.flatMap((at) => (at % DUPLICATE_EVERY === 1 ? [-at - 1, at] : [at]))
  return reorder(rows, order)
}
