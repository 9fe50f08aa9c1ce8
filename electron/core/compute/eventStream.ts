import { upperBound } from '#shared/search.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cutEvents, type EventArray, type EventColumns, eventFields } from '#shared/metrics/events.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { EventDecoder } from './decodeEvents.ts'
import type { EventColumn } from './eventColumns.ts'
import type { EventRowGroup } from './eventRowGroups.ts'
import { isInTimeOrder, timeOrder } from './timeOrder.ts'

/**
 * Yields the events of row groups in time order, in batches; equal times keep the order of files and rows. Groups are
 * decoded in file order, and an event is released once no later group can contain an earlier one, so for ordered files
 * only one group is in memory at a time.
 */
export function* eventStream(
  source: RawDatasetId,
  timeColumn: string,
  columns: readonly EventColumn[],
  rowGroups: readonly EventRowGroup[],
): Generator<EventColumns> {
  const decoder = new EventDecoder(source, timeColumn, columns)
  const bufferedEvents = new BufferedEvents(source)
  const earliestAfter = earliestOfLater(rowGroups)
  const files = new OneOpenFile()
  try {
    for (const [i, rowGroup] of rowGroups.entries()) {
      const events = decoder.decode(files.open(rowGroup.path), rowGroup)
      const isOrdered = isInTimeOrder(events.timeUs)
      checkRange(events.timeUs, isOrdered, rowGroup)
      yield* bufferedEvents.add(events, isOrdered, earliestAfter[i])
    }
  } finally {
    decoder.release()
    files.close()
  }
}

class OneOpenFile {
  private file: ParquetFile | null = null

  open(path: string): ParquetFile {
    if (this.file?.path === path) return this.file
    this.close()
    this.file = new ParquetFile(path)
    return this.file
  }

  close(): void {
    this.file?.close()
    this.file = null
  }
}

/** Computes, for each group, the earliest time of any later group. */
function earliestOfLater(rowGroups: readonly EventRowGroup[]): Float64Array {
  const earliest = new Float64Array(rowGroups.length).fill(Infinity)
  for (let i = rowGroups.length - 2; i >= 0; i--) earliest[i] = Math.min(earliest[i + 1], rowGroups[i + 1].minUs)
  return earliest
}

/**
 * Checks the decoded times against the footer, because an event is released once the footers rule out earlier ones in
 * later groups.
 */
function checkRange(timesUs: Float64Array, isOrdered: boolean, { path, minUs, maxUs }: EventRowGroup): void {
  const ends = isOrdered ? [timesUs[0], timesUs[timesUs.length - 1]] : timesUs
  if (ends.every((timeUs) => timeUs >= minUs && timeUs <= maxUs)) return
  throw new AppError('corrupt-file', `${path}: an event lies outside of the times that the file’s footer states.`)
}

/** Decoded events that are held back until no later row group can contain an earlier one. */
class BufferedEvents {
  private readonly source: RawDatasetId
  /** Events held back by the last sort, in time order; null if there are none. */
  private sorted: EventColumns | null = null
  /** Copies of the row groups that arrived since that sort, in file order. */
  private groups: EventColumns[] = []
  private groupEvents = 0

  constructor(source: RawDatasetId) {
    this.source = source
  }

  /** @param untilUs events up to and including this time are released */
  *add(events: EventColumns, isOrdered: boolean, untilUs: number): Generator<EventColumns> {
    const { timeUs } = events
    if (!this.sorted && this.groups.length === 0 && isOrdered) {
      const readyCount = upperBound(timeUs, untilUs)
      if (readyCount > 0) yield this.cut(events, 0, readyCount)
      if (readyCount < timeUs.length) this.sorted = this.gather([this.cut(events, readyCount, timeUs.length)], null)
      return
    }
    this.groups.push(this.gather([events], null))
    this.groupEvents += timeUs.length
    // Sorting waits until as many new events have arrived as are held back; otherwise the events held back from an
    // unordered file would be sorted again with every group.
    if (untilUs < Infinity && this.groupEvents < (this.sorted?.timeUs.length ?? 0)) return
    yield* this.releaseUntil(untilUs)
  }

  private *releaseUntil(untilUs: number): Generator<EventColumns> {
    const concatenatedEvents = this.gather(this.sorted ? [this.sorted, ...this.groups] : this.groups, null)
    const order = timeOrder(concatenatedEvents.timeUs)
    const all = order ? this.gather([concatenatedEvents], order) : concatenatedEvents
    this.groups = []
    this.groupEvents = 0
    const readyCount = upperBound(all.timeUs, untilUs)
    this.sorted = readyCount < all.timeUs.length ? this.cut(all, readyCount, all.timeUs.length) : null
    if (readyCount > 0) yield this.cut(all, 0, readyCount)
  }

  private cut(events: EventColumns, from: number, to: number): EventColumns {
    return cutEvents(this.source, events, from, to)
  }

  /** Copies the parts into new arrays, one after the other. An `order` rearranges the events of a single part. */
  private gather(parts: EventColumns[], order: Uint32Array | null): EventColumns {
    const count = parts.reduce((sum, { timeUs }) => sum + timeUs.length, 0)
    return this.map((name, isByte) => {
      const target = isByte ? new Uint8Array(count) : new Float64Array(count)
      if (order) {
        const values = parts[0][name]
        for (let i = 0; i < count; i++) target[i] = values[order[i]]
        return target
      }
      let offset = 0
      for (const part of parts) {
        target.set(part[name], offset)
        offset += part.timeUs.length
      }
      return target
    })
  }

  private map(arrayOf: (name: string, isByte: boolean) => EventArray): EventColumns {
    const fields = eventFields[this.source]
    return Object.fromEntries(
      fields.map(({ name, type }) => [name, arrayOf(name, type === 'uint8')]),
    ) as unknown as EventColumns
  }
}
