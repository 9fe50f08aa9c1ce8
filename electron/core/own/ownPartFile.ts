import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeGroup } from '#core/parquet/groupWriter.ts'
import { createZstdWriter, type SchemaColumn } from '#core/parquet/zstdWriter.ts'
import { partFileName } from '#core/store/partitions.ts'
import type { OwnOwner } from '#shared/formula/ownData.ts'

/** Sorted rows of a month, as they are written. */
export interface SortedRows {
  timesUs: Float64Array<ArrayBuffer>
  owners: Int32Array
  labels: Int32Array | null
  columns: readonly Float64Array<ArrayBuffer>[]
}

/** What the rows of all months share. */
interface WrittenColumns {
  columns: readonly string[]
  label: string | null
  hasSymbols: boolean
  hasExchanges: boolean
  owners: readonly OwnOwner[]
  labels: readonly string[]
}

const ROWS_PER_GROUP = 100_000

const textColumn = (name: string): SchemaColumn => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
})

const textsOf = (name: string, codes: Int32Array, texts: readonly (string | null)[]) => ({
  ...{ name, kind: 'texts' as const, codes, texts },
})

/** Writes the rows of a month; the file gets its name when it is whole and on the disk. */
export async function writePartFile(
  folder: string,
  parts: Iterable<SortedRows>,
  { columns, label, hasSymbols, hasExchanges, owners, labels }: WrittenColumns,
): Promise<{ sha256: string; bytes: number }> {
  const { bytes, writer } = createZstdWriter([
    ...(hasExchanges ? [textColumn('exchange')] : []),
    ...(hasSymbols ? [textColumn('symbol')] : []),
    {
      name: 'time',
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      repetition_type: 'REQUIRED',
    },
    ...(label === null ? [] : [textColumn(label)]),
    ...columns.map((name): SchemaColumn => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' })),
  ])
  const part = join(folder, 'rows.part')
  const descriptor = openSync(part, 'w', 0o600)
  const hash = createHash('sha256')
  let size = 0
  const flush = () => {
    const written = new Uint8Array(bytes.buffer, 0, bytes.index)
    hash.update(written)
    size += written.length
    for (let done = 0; done < written.length;) done += writeSync(descriptor, written, done)
    bytes.index = 0
  }
  try {
    const exchangeTexts = owners.map(({ exchange }) => exchange)
    const symbolTexts = owners.map(({ symbol }) => symbol)
    for (const rows of groupsOf(parts)) {
      writeGroup(writer, bytes, [
        ...(hasExchanges ? [textsOf('exchange', rows.owners, exchangeTexts)] : []),
        ...(hasSymbols ? [textsOf('symbol', rows.owners, symbolTexts)] : []),
        { name: 'time', kind: 'times', timesUs: rows.timesUs },
        ...(label === null ? [] : [textsOf(label, rows.labels!, labels)]),
        ...columns.map((name, at) => ({ name, kind: 'numbers' as const, values: rows.columns[at] })),
      ])
      flush()
    }
    await writer.finish()
    flush()
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  const sha256 = hash.digest('hex')
  renameSync(part, join(dirname(part), partFileName(sha256)))
  return { sha256, bytes: size }
}

/** Cuts rows into the groups of the file, which do not depend on the parts in which the rows come. */
function* groupsOf(parts: Iterable<SortedRows>): Generator<SortedRows> {
  let pieces: SortedRows[] = []
  let count = 0
  for (const rows of parts)
    for (let from = 0; from < rows.timesUs.length;) {
      const to = Math.min(rows.timesUs.length, from + ROWS_PER_GROUP - count)
      pieces.push(piece(rows, from, to))
      count += to - from
      from = to
      if (count < ROWS_PER_GROUP) continue
      yield joinedPieces(pieces, count)
      pieces = []
      count = 0
    }
  if (count > 0) yield joinedPieces(pieces, count)
}

const piece = ({ timesUs, owners, labels, columns }: SortedRows, from: number, to: number): SortedRows => ({
  timesUs: timesUs.slice(from, to),
  owners: owners.subarray(from, to),
  labels: labels && labels.subarray(from, to),
  columns: columns.map((values) => values.slice(from, to)),
})

function joinedPieces(pieces: readonly SortedRows[], count: number): SortedRows {
  const [first] = pieces
  if (pieces.length === 1) return first
  const joined: SortedRows = {
    timesUs: new Float64Array(count),
    owners: new Int32Array(count),
    labels: first.labels && new Int32Array(count),
    columns: first.columns.map(() => new Float64Array(count)),
  }
  let at = 0
  for (const each of pieces) {
    joined.timesUs.set(each.timesUs, at)
    joined.owners.set(each.owners, at)
    if (each.labels) joined.labels?.set(each.labels, at)
    each.columns.forEach((values, place) => joined.columns[place].set(values, at))
    at += each.timesUs.length
  }
  return joined
}
