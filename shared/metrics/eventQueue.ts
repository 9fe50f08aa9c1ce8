import { lowerBound } from '../search.ts'
import type { EventSource } from '../catalog/metricDatasets.ts'
import { cutEvents, type EventArray, type EventColumns, eventFields } from './events.ts'

/**
 * Number of events in one interval from which the queue allocates all the space it may need, because growing the arrays
 * would double the memory.
 */
const MANY_EVENTS = 1_000_000

/**
 * Pending events of one source. A batch that arrives at an empty queue is read in place, and only its remainder is
 * copied, so the caller may reuse its arrays after `settle`.
 */
export class EventQueue {
  readonly source: EventSource
  /** Time of the last pushed event, up to which events are complete; Infinity once the source has ended. */
  completeUs = -Infinity
  private readonly keepsEventBefore: boolean
  private readonly expectedEvents: number
  private columns: EventColumns
  private owned: EventColumns
  private head = 0
  private tail = 0
  private hasEventBefore = false

  constructor(source: EventSource, keepsEventBefore: boolean, expectedEvents = 0) {
    this.source = source
    this.expectedEvents = expectedEvents
    this.keepsEventBefore = keepsEventBefore
    this.owned = this.allocate(0)
    this.columns = this.owned
  }

  get isEmpty(): boolean {
    return this.head === this.tail
  }

  /** Time of the first pending event; Infinity if there is none. */
  get nextUs(): number {
    return this.isEmpty ? Infinity : this.columns.timeUs[this.head]
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
    const head = lowerBound(this.columns.timeUs, timeUs, this.head, this.tail)
    if (head > this.head) this.hasEventBefore = this.keepsEventBefore
    this.head = head
  }

  inside(endUs: number): EventColumns {
    return this.view(this.head, lowerBound(this.columns.timeUs, endUs, this.head, this.tail))
  }

  /** Returns the queued events before `endUs`, preceded by the last dropped event if the queue keeps it. */
  asOf(endUs: number): EventColumns {
    const from = this.hasEventBefore ? this.head - 1 : this.head
    return this.view(from, lowerBound(this.columns.timeUs, endUs, this.head, this.tail))
  }

  /** Copies the remainder of the last batch, so that the caller may reuse its arrays. */
  settle(): void {
    if (this.columns === this.owned) return
    const from = this.hasEventBefore ? this.head - 1 : this.head
    const rest = this.view(from, this.tail)
    this.columns = this.owned
    this.store(rest, 0)
    this.tail -= from
    this.head -= from
  }

  private append(events: EventColumns): void {
    this.settle()
    const from = this.hasEventBefore ? this.head - 1 : this.head
    const remaining = this.tail - from
    if (from > remaining) {
      for (const array of Object.values(this.owned)) {
        const width = array.length / this.owned.timeUs.length
        array.copyWithin(0, from * width, this.tail * width)
      }
      this.head -= from
      this.tail = remaining
    }
    this.store(events, this.tail)
    this.tail += events.timeUs.length
  }

  private store(events: EventColumns, at: number): void {
    const count = at + events.timeUs.length
    if (this.owned.timeUs.length < count) {
      const grown = this.allocate(
        count < MANY_EVENTS ? count * 2 : Math.max(this.expectedEvents, Math.ceil(count * 1.5)),
      )
      for (const { name, width } of eventFields[this.source]) {
        grown[name].set(this.owned[name].subarray(0, at * width))
      }
      this.owned = grown
      this.columns = grown
    }
    for (const { name, width } of eventFields[this.source]) this.owned[name].set(events[name], at * width)
  }

  private allocate(count: number): EventColumns {
    const columns: Record<string, EventArray> = {}
    for (const { name, type, width } of eventFields[this.source]) {
      columns[name] = type === 'uint8' ? new Uint8Array(count * width) : new Float64Array(count * width)
    }
    return columns as EventColumns
  }

  private view(from: number, to: number): EventColumns {
    return cutEvents(this.source, this.columns, from, to)
  }
}
