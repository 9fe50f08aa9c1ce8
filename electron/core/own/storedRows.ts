import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import type { FileVersion } from '#core/parquet/fileVersion.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from '#core/parquet/readColumn.ts'
import { AppError } from '#shared/contract/errors.ts'
import { EVENTS_COLUMN, type OwnOwner, type OwnRows, SINCE_COLUMN } from '#shared/formula/ownData.ts'

/** A file with rows of an own dataset, sorted by owner and time. */
export interface StoredPart {
  path: string
  /** Version that was written; with a reason if it must not be read any more. */
  known?: FileVersion & { sha256: string; refusal?: string }
  sha256: string
  /** Range of the labels of its rows, in microseconds: its month. */
  startUs: number
  endUs: number
  /** Owners in the order of their rows. */
  owners: readonly { owner: number; rows: number }[]
}

/** Range of labels in microseconds, half-open. */
export interface LabelRange {
  startUs: number
  endUs: number
}

const ALL_LABELS: LabelRange = { startUs: -Infinity, endUs: Infinity }

const isCount = (column: string) => column === EVENTS_COLUMN || column === SINCE_COLUMN

/**
 * Reads the rows of owners with one column, in time order; each file is read only once, whatever the number of owners.
 * What counts events needs no values.
 */
export function readOwners(
  parts: readonly StoredPart[],
  owners: ReadonlySet<number>,
  column: string,
  range: LabelRange = ALL_LABELS,
): Map<number, OwnRows> {
  const pieces = new Map<number, OwnRows[]>([...owners].map((owner) => [owner, []]))
  for (const part of parts) {
    if (part.endUs <= range.startUs || part.startUs >= range.endUs) continue
    const runs = runsOf(part, owners)
    if (runs.length === 0) continue
    using file = openPart(part)
    for (const { owner, from, to } of runs) {
      const timesUs = new Float64Array(to - from)
      readTimesUs(file, 'time', { from, to }, { values: timesUs, at: 0 })
      const [start, end] = [firstAtLeast(timesUs, range.startUs), firstAtLeast(timesUs, range.endUs)]
      if (end <= start) continue
      pieces.get(owner)!.push({
        timesUs: timesUs.subarray(start, end),
        values: isCount(column) ? new Float64Array(0) : numbersIn(file, column, { from: from + start, to: from + end }),
      })
    }
  }
  return new Map([...pieces].map(([owner, all]) => [owner, joined(all)]))
}

function openPart({ path, known }: StoredPart): ParquetFile {
  if (known?.refusal !== undefined) throw new AppError('corrupt-file', known.refusal)
  return new ParquetFile(path, { known })
}

function runsOf({ owners }: StoredPart, wanted: ReadonlySet<number>) {
  const runs: { owner: number; from: number; to: number }[] = []
  let from = 0
  for (const { owner, rows } of owners) {
    if (wanted.has(owner)) runs.push({ owner, from, to: from + rows })
    from += rows
  }
  return runs
}

function joined(pieces: readonly OwnRows[]): OwnRows {
  if (pieces.length === 1) return pieces[0]
  const join = (of: (piece: OwnRows) => Float64Array) => {
    const values = new Float64Array(pieces.reduce((sum, piece) => sum + of(piece).length, 0))
    let at = 0
    for (const piece of pieces) {
      values.set(of(piece), at)
      at += of(piece).length
    }
    return values
  }
  return { timesUs: join(({ timesUs }) => timesUs), values: join(({ values }) => values) }
}

function firstAtLeast(timesUs: Float64Array, us: number): number {
  let [low, high] = [0, timesUs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timesUs[middle] < us) low = middle + 1
    else high = middle
  }
  return low
}

function numbersIn(file: ParquetFile, column: string, range: { from: number; to: number }): Float64Array {
  const values = new Float64Array(range.to - range.from)
  if (file.indexOf(column) < 0) return values.fill(NaN)
  const valid = new Uint8Array(values.length).fill(1)
  readNumbers(file, column, range, { values, valid, at: 0 })
  for (let row = 0; row < values.length; row++) if (!valid[row]) values[row] = NaN
  return values
}

/** All rows of a file: labels, owners, texts and values by column. */
export interface PartRows {
  timesUs: Float64Array
  owners: OwnOwner[]
  label: string[] | null
  columns: Map<string, Float64Array>
}

export function readPart(
  part: StoredPart,
  owners: readonly OwnOwner[],
  columns: readonly string[],
  label: string | null,
): PartRows {
  using file = openPart(part)
  const range = { from: 0, to: file.rows }
  const timesUs = new Float64Array(file.rows)
  readTimesUs(file, 'time', range, { values: timesUs, at: 0 })
  return {
    timesUs,
    owners: part.owners.flatMap(({ owner, rows }) => Array.from({ length: rows }, () => owners[owner])),
    label: label === null ? null : textsIn(file, label),
    columns: new Map(columns.map((name) => [name, numbersIn(file, name, range)])),
  }
}

function textsIn(file: ParquetFile, name: string): string[] {
  const dictionary = new TextDictionary()
  const codes = new Int32Array(file.rows)
  readTexts(file, name, { from: 0, to: file.rows }, dictionary, { values: codes, at: 0 })
  return Array.from(codes, (code) => (code < 0 ? '' : dictionary.texts[code]))
}
