import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type BucketGrid, bucketParts, ColumnBuckets } from '#shared/overview/columnBuckets.ts'

/** What stands at the start of a summary: read it with care, the file may be of another version or cut off. */
interface SummaryHead extends BucketGrid {
  version: number
  columns: string[]
}

const VERSION = 1
const BYTES_PER_VALUE = 8
const LONGEST_HEAD = 1 << 20

const sectionBytes = ({ buckets }: BucketGrid) => buckets * bucketParts.length * BYTES_PER_VALUE

/** The buckets of all columns of a file, as they are kept beside it: length of the head · head · the parts of each column. */
export function encodeSummary(
  grid: BucketGrid,
  columns: readonly { name: string; buckets: ColumnBuckets }[],
): Uint8Array {
  const head: SummaryHead = { version: VERSION, ...grid, columns: columns.map(({ name }) => name) }
  const json = Buffer.from(JSON.stringify(head))
  const start = Math.ceil((4 + json.length) / BYTES_PER_VALUE) * BYTES_PER_VALUE
  const bytes = new Uint8Array(start + columns.length * sectionBytes(grid))
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 4)
  let at = start
  for (const { buckets } of columns) {
    for (const part of bucketParts) {
      bytes.set(new Uint8Array(buckets[part].buffer, buckets[part].byteOffset, buckets[part].byteLength), at)
      at += buckets[part].byteLength
    }
  }
  return bytes
}

/** Summaries seen lately, by path: a path names the content of a file, so that what it holds never changes. */
const kept = new Map<string, { head: SummaryHead; start: number; columns: Map<string, ColumnBuckets> }>()
const MOST_KEPT_BYTES = 64 * 2 ** 20
let keptBytes = 0

/** Some columns of a kept summary; null where there is none that can be used, or it lacks one of them. */
export function readSummary(path: string, names: readonly string[]): ColumnBuckets[] | null {
  const known = kept.get(path)
  if (known && names.every((name) => known.columns.has(name))) return names.map((name) => known.columns.get(name)!)
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    const summary = known ?? openSummary(descriptor)
    if (!summary || names.some((name) => !summary.head.columns.includes(name))) return null
    const columns = names.map((name) => summary.columns.get(name) ?? readColumn(descriptor, summary, name))
    if (keptBytes > MOST_KEPT_BYTES) forgetAll()
    names.forEach((name, at) => {
      if (!summary.columns.has(name)) keptBytes += sectionBytes(summary.head)
      summary.columns.set(name, columns[at])
    })
    kept.set(path, summary)
    return columns
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}

function forgetAll(): void {
  kept.clear()
  keptBytes = 0
}

function openSummary(descriptor: number) {
  const length = new DataView(readAt(descriptor, 4, 0).buffer).getUint32(0, true)
  if (length > LONGEST_HEAD) return null
  const head = JSON.parse(Buffer.from(readAt(descriptor, length, 4)).toString()) as SummaryHead
  const start = Math.ceil((4 + length) / BYTES_PER_VALUE) * BYTES_PER_VALUE
  if (head.version !== VERSION) return null
  if (fstatSync(descriptor).size !== start + head.columns.length * sectionBytes(head)) return null
  return { head, start, columns: new Map<string, ColumnBuckets>() }
}

function readColumn(descriptor: number, { head, start }: { head: SummaryHead; start: number }, name: string) {
  const bytes = readAt(descriptor, sectionBytes(head), start + head.columns.indexOf(name) * sectionBytes(head))
  const { startMs, bucketMs, buckets } = head
  const partOf = (at: number) => new Float64Array(bytes.buffer, at * buckets * BYTES_PER_VALUE, buckets)
  return new ColumnBuckets({ startMs, bucketMs, buckets }, (part) => partOf(bucketParts.indexOf(part)))
}

function readAt(descriptor: number, length: number, position: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let done = 0; done < length;) {
    const count = readSync(descriptor, bytes, done, length - done, position + done)
    if (count === 0) throw new Error('it ends too early')
    done += count
  }
  return bytes
}
