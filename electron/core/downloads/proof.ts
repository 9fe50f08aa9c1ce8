import { createHash } from 'node:crypto'
import { AppError } from '#shared/contract/errors.ts'
import type { ByteSource } from '#core/readers/byteSource.ts'
import { checkValues } from '#core/readers/checkValues.ts'
import { ParquetFile } from '#core/readers/parquetFile.ts'
import { readNumbers, readTimesUs } from '#core/readers/readColumn.ts'
import type { FileFacts } from '#core/store/fileFacts.ts'
import { columnFacts } from './columnFacts.ts'

export interface Proof {
  sizeBytes: number
  sha256: string
  facts: FileFacts
}

/** The columns that can hold the time of a row, the first that is there. */
const timeColumns = ['time', 'exchange_timestamp', 'local_timestamp', 'timestamp']
/** Used again for every file: fresh memory costs more than what is done with it. */
let times = new Float64Array(0)

/**
 * Reads a file as far as needed to be sure of it; throws `corrupt-file` where it is not what it should be.
 * @param source its bytes, where they need not be read from disk again
 * @param deep whether every value is read, not the times alone
 */
export function proveFile(path: string, source?: ByteSource, deep = false): Proof {
  using file = new ParquetFile(path, { remember: false, ...(source && { source }) })
  const named = timeColumns.find((name) => file.indexOf(name) >= 0)
  if (named === undefined) throw file.damaged('it has no column of times')
  checkChunks(file)
  if (deep) checkValues(file)
  return {
    sizeBytes: file.sizeBytes,
    sha256: hashOf(file),
    facts: {
      rows: file.rows,
      ...gridOf(timesOf(file, named)),
      columns: file.columns.map((_, index) => columnFacts(file, index)),
    },
  }
}

/** Every column chunk lies inside the file. */
function checkChunks(file: ParquetFile): void {
  for (const { chunks } of file.rowGroups) {
    for (const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } of chunks) {
      const start = Number(dictionary ?? data)
      if (!(start >= 4) || start + Number(size) > file.sizeBytes) throw file.damaged('it ends too early')
    }
  }
}

function hashOf(file: ParquetFile): string {
  const hash = createHash('sha256')
  for (const part of file.parts()) hash.update(part)
  return hash.digest('hex')
}

/** In milliseconds. */
function timesOf(file: ParquetFile, name: string): Float64Array {
  if (times.length < file.rows) times = new Float64Array(Math.ceil(file.rows * 1.25))
  const values = times.subarray(0, file.rows)
  const range = { from: 0, to: file.rows }
  if (file.columns[file.indexOf(name)].timestampUnit === null) {
    readNumbers(file, name, range, { values, at: 0 })
    return values
  }
  readTimesUs(file, name, range, { values, at: 0 })
  for (let row = 0; row < values.length; row++) values[row] /= 1000
  return values
}

type Grid = Pick<FileFacts, 'firstTimeMs' | 'lastTimeMs' | 'stepMs' | 'duplicateTimes'>

function gridOf(times: Float64Array): Grid {
  if (times.length === 0) return { firstTimeMs: null, lastTimeMs: null, stepMs: null, duplicateTimes: 0 }
  const step = times[1] - times[0]
  let isRegular = times.length > 1 && step > 0
  let isSorted = true
  for (let row = 1; row < times.length; row++) {
    const difference = times[row] - times[row - 1]
    isRegular &&= difference === step
    isSorted &&= difference >= 0
  }
  const sorted = isSorted ? times : times.filter((time) => !Number.isNaN(time)).sort()
  if (sorted.length === 0) throw new AppError('corrupt-file', 'A file has no row with a time.')
  let duplicateTimes = 0
  for (let row = 1; row < sorted.length; row++) if (sorted[row] === sorted[row - 1]) duplicateTimes++
  return {
    firstTimeMs: sorted[0],
    lastTimeMs: sorted[sorted.length - 1],
    stepMs: isRegular ? step : null,
    duplicateTimes,
  }
}
