import { lowerBound } from '../search.ts'
import type { EventSource } from '../catalog/metricDatasets.ts'
import { cutEvents, type EventArray, type EventColumns, eventFields } from './events.ts'

/**
 * Number of events from which the queue allocates the space for all expected events at once, because growing the
 * arrays step by step would double the memory.
 */
const MANY_EVENTS = 250_000

interface QueueOptions {
  /** True to keep the last event before the pending ones. */
  keepsEventBefore: boolean
  /**
   * False to save the memory for the times of stored events, a third of the total. The events must then lie in one
   * interval, and nothing may read their times.
   */
  storesTimes: boolean
  expectedEvents?: number | undefined
}

const noTimes = new Float64Array(0)

/**
 * Pending events of one source. A batch that arrives at an empty queue is read in place, and only its remainder is
 * copied, so the caller may reuse its arrays after `settle`.
 */
export class EventQueue {
  readonly source: EventSource
  /** Time of the last pushed event, up to which events are complete; Infinity once the source has ended. */
  completeUs = -Infinity
  private readonly options: QueueOptions
  private columns: EventColumns
  private owned: EventColumns
  private head = 0
  private tail = 0
  private hasEventBefore = false
  private capacity = 0
  /** Times of the first and the last stored event. */
  private storedUs = { first: Infinity, last: -Infinity }

  constructor(source: EventSource, options: QueueOptions) {
    this.source = source
    this.options = options
    this.owned = this.allocate(0)
    this.columns = this.owned
  }

  get isEmpty(): boolean {
    return this.head === this.tail
  }

  /** Time of the first pending event; Infinity if there is none. */
  get nextUs(): number {
    if (this.isEmpty) return Infinity
    return this.hasTimes ? this.columns.timeUs[this.head] : this.storedUs.first
  }

  push(events: EventColumns): void {
    const { timeUs } = events
    if (timeUs.length === 0) return
    let before = this.completeUs
    for (let i = 0; i < timeUs.length; i++) {
      if (!(timeUs[i] >= before)) throw new RangeError(`${this.source}: events are not in time order`)
      before = timeUs[i]
    }
    this.completeUs = before
    this.storedUs.last = before
    if (this.isEmpty && !this.hasEventBefore) {
      this.columns = events
      this.head = 0
      this.tail = timeUs.length
    } else {
      this.append(events)
    }
  }

  /** Drops all events before `timeUs`. */
  dropBefore(timeUs: number): void {
    const head = this.indexOf(timeUs)
    if (head > this.head) this.hasEventBefore = this.options.keepsEventBefore
    this.head = head
  }

  inside(endUs: number): EventColumns {
    return this.view(this.head, this.indexOf(endUs))
  }

  /** Returns the queued events before `endUs`, preceded by the last dropped event if the queue keeps it. */
  asOf(endUs: number): EventColumns {
    const from = this.hasEventBefore ? this.head - 1 : this.head
    return this.view(from, this.indexOf(endUs))
  }

  /** Copies the remainder of the last batch, so that the caller may reuse its arrays. */
  settle(): void {
    if (this.columns === this.owned) return
    const from = this.hasEventBefore ? this.head - 1 : this.head
    const pendingEvents = this.view(from, this.tail)
    this.storedUs.first = this.nextUs
    this.columns = this.owned
    this.store(pendingEvents, 0)
    this.tail -= from
    this.head -= from
  }

  private append(events: EventColumns): void {
    this.settle()
    const from = this.hasEventBefore ? this.head - 1 : this.head
    const remaining = this.tail - from
    if (from > remaining) {
      for (const { name, width } of this.storedFields) {
        this.owned[name].copyWithin(0, from * width, this.tail * width)
      }
      this.head -= from
      this.tail = remaining
    }
    this.store(events, this.tail)
    this.tail += events.timeUs.length
  }

  private store(events: EventColumns, at: number): void {
    const count = at + events.timeUs.length
    if (this.capacity < count) {
      const { expectedEvents = 0 } = this.options
      const grown = this.allocate(count < MANY_EVENTS ? count * 2 : Math.max(expectedEvents, Math.ceil(count * 1.5)))
      for (const { name, width } of this.storedFields) {
        grown[name].set(this.owned[name].subarray(0, at * width))
      }
      this.owned = grown
      this.columns = grown
    }
    for (const { name, width } of this.storedFields) this.owned[name].set(events[name], at * width)
  }

  private get storedFields() {
    const fields = eventFields[this.source]
    return this.options.storesTimes ? fields : fields.filter(({ name }) => name !== 'timeUs')
  }

  private get hasTimes(): boolean {
    return this.options.storesTimes || this.columns !== this.owned
  }

  /** Returns the index of the first pending event at or after a time. */
  private indexOf(timeUs: number): number {
    if (this.hasTimes) return lowerBound(this.columns.timeUs, timeUs, this.head, this.tail)
    const { first, last } = this.storedUs
    if (this.isEmpty || timeUs <= first) return this.head
    if (timeUs > last) return this.tail
    throw new RangeError(`${this.source}: an interval ends between events whose times are not stored`)
  }

  private allocate(count: number): EventColumns {
    this.capacity = count
    const columns: Record<string, EventArray> = { timeUs: noTimes }
    for (const { name, type, width } of this.storedFields) {
      columns[name] = type === 'uint8' ? new Uint8Array(count * width) : new Float64Array(count * width)
    }
    return columns as EventColumns
  }

  private view(from: number, to: number): EventColumns {
    return cutEvents(this.source, this.columns, from, to)
  }
}
