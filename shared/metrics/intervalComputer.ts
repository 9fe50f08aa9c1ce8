import { type EventSource, metricDataset, type MetricDatasetId } from '../catalog/metricDatasets.ts'
import type { IntervalFunction, IntervalView } from './datasetComputation.ts'
import { datasetComputations } from './datasetComputations.ts'
import { EventQueue } from './eventQueue.ts'
import { lowerBound } from '../search.ts'
import { cutEvents, type EventColumns, type EventsOf } from './events.ts'
import type { MetricRows } from './metricRows.ts'
import { RowBuffer } from './rowBuffer.ts'
import { TradeInterval } from './tradeInterval.ts'

export interface ComputationRequest {
  datasets: readonly MetricDatasetId[]
  /** Length of an interval, which must divide a day. */
  intervalSeconds: number
  /** Start of the range, at the start of an interval, in microseconds since the epoch. */
  startUs: number
  /** Exclusive end of the range, at the end of an interval. */
  endUs: number
  /** Maximum number of events of each source, if known. */
  expectedEvents?: Partial<Record<EventSource, number>>
}

interface RunningInterval {
  drivingQueue: EventQueue
  compute: IntervalFunction
  row: Float64Array
  rows: RowBuffer
}

/**
 * Computes rows for the intervals that have driving events. While `wants()` names a source, push that source's next
 * events in time order, or end it. A source in a dataset's `asOf`, whose latest event is looked up at each event of the
 * driving source, also needs the events before the range. Only the open interval is kept in memory. The result does not
 * depend on how the input is split into batches.
 */
export class IntervalComputer {
  readonly sources: readonly EventSource[]
  private readonly intervalUs: number
  private readonly endUs: number
  /** Time up to which intervals are computed. */
  private doneUs: number
  private readonly queues: EventQueue[]
  private readonly running: RunningInterval[]
  private readonly view: IntervalView
  private readonly trades: TradeInterval

  constructor({ datasets, intervalSeconds, startUs, endUs, expectedEvents = {} }: ComputationRequest) {
    this.intervalUs = intervalSeconds * 1e6
    if (startUs % this.intervalUs !== 0 || endUs % this.intervalUs !== 0) {
      throw new RangeError('the range must start and end where an interval does')
    }
    this.endUs = endUs
    this.doneUs = startUs
    const declared = datasets.map(metricDataset)
    this.sources = [...new Set(declared.flatMap(({ drivingSource, asOf }) => [drivingSource, ...asOf]))]
    const asOfSources = new Set(declared.flatMap((dataset) => dataset.asOf))
    // If trades are the only source, no metric reads their times, and each interval is completed before the next one starts.
    const storesTimes = this.sources.length > 1 || this.sources[0] !== 'trades'
    this.queues = this.sources.map((source) => {
      const options = { keepsEventBefore: asOfSources.has(source), storesTimes, expectedEvents: expectedEvents[source] }
      return new EventQueue(source, options)
    })
    this.running = declared.map(({ id, drivingSource, columns }) => ({
      drivingQueue: this.queue(drivingSource),
      compute: datasetComputations[id].create(),
      row: new Float64Array(columns.length),
      rows: new RowBuffer(id),
    }))
    this.trades = new TradeInterval(noTrades)
    this.view = {
      startUs,
      endUs: startUs,
      trades: this.trades,
      inside: <S extends EventSource>(source: S) => eventsOf<S>(this.queue(source).inside(this.view.endUs)),
      asOf: <S extends EventSource>(source: S) => eventsOf<S>(this.queue(source).asOf(this.view.endUs)),
    }
  }

  /**
   * Names the source to feed next, which is the one that the others wait for. Null if nothing more can change the rows.
   */
  wants(): EventSource | null {
    if (this.running.every(({ drivingQueue }) => drivingQueue.isEmpty && drivingQueue.completeUs >= this.endUs))
      return null
    let laggingQueue: EventQueue | null = null
    for (const queue of this.queues) {
      if (queue.completeUs < this.endUs && queue.completeUs < (laggingQueue?.completeUs ?? Infinity))
        laggingQueue = queue
    }
    return laggingQueue?.source ?? null
  }

  push<S extends EventSource>(source: S, events: EventsOf[S]): void {
    const queue = this.queue(source)
    const columns = events as unknown as EventColumns
    const { timeUs } = columns
    // Finishing the open interval first empties the queue, so that the rest of the batch is read in place.
    const openEndUs = (Math.floor(queue.nextUs / this.intervalUs) + 1) * this.intervalUs
    const split = queue.isEmpty ? 0 : lowerBound(timeUs, openEndUs)
    if (!queue.isEmpty && split < timeUs.length) {
      queue.push(cutEvents(source, columns, 0, split))
      queue.completeUs = timeUs[split]
      this.advance()
    }
    queue.push(split < timeUs.length ? cutEvents(source, columns, split, timeUs.length) : columns)
    this.advance()
    queue.settle()
  }

  /** Marks a source as finished. */
  end(source: EventSource): void {
    this.queue(source).completeUs = Infinity
    this.advance()
  }

  /** Takes the rows finished since the last call, one entry per dataset in request order. */
  take(): MetricRows[] {
    return this.running.map(({ rows }) => rows.take())
  }

  private queue(source: EventSource): EventQueue {
    return this.queues[this.sources.indexOf(source)]
  }

  private advance(): void {
    const { view, intervalUs } = this
    let completeUs = Infinity
    for (const queue of this.queues) completeUs = Math.min(completeUs, queue.completeUs)
    for (;;) {
      this.dropBefore(this.doneUs)
      let nextUs = Infinity
      for (const { drivingQueue } of this.running) nextUs = Math.min(nextUs, drivingQueue.nextUs)
      // Without a pending driving event, the next one cannot be earlier than the time that all sources have reached.
      const reachedUs = Math.min(nextUs, completeUs, this.endUs)
      this.doneUs = Math.max(this.doneUs, Math.floor(reachedUs / intervalUs) * intervalUs)
      const intervalEndUs = this.doneUs + intervalUs
      if (nextUs >= intervalEndUs || intervalEndUs > Math.min(completeUs, this.endUs)) break
      this.dropBefore(this.doneUs)
      view.startUs = this.doneUs
      view.endUs = intervalEndUs
      this.computeInterval()
      this.doneUs = intervalEndUs
    }
    this.dropBefore(this.doneUs)
  }

  private computeInterval(): void {
    const { view } = this
    const tradeQueue = this.queues.find(({ source }) => source === 'trades')
    if (tradeQueue) this.trades.setEvents(eventsOf<'trades'>(tradeQueue.inside(view.endUs)))
    for (const { drivingQueue, compute, row, rows } of this.running) {
      if (drivingQueue.nextUs >= view.endUs) continue
      row.fill(NaN)
      compute(view, row)
      rows.add(view.startUs / 1000, row)
    }
  }

  private dropBefore(timeUs: number): void {
    for (const queue of this.queues) queue.dropBefore(timeUs)
  }
}

const emptyArray = new Float64Array(0)
const noTrades = { timeUs: emptyArray, price: emptyArray, amount: emptyArray, side: new Uint8Array(0) }

// A queue's columns are those of its source, which the type system cannot express here.
const eventsOf = <S extends EventSource>(columns: EventColumns) => columns as unknown as EventsOf[S]
