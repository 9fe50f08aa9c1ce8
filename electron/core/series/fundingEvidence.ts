import { toAppError } from '#shared/contract/errors.ts'
import { changedAnnouncements } from '#shared/funding/observedFunding.ts'
import { type RateChanges, rateChanges } from '#shared/funding/inferredFunding.ts'
import { isChangedFile } from '../parquet/fileVersion.ts'
import { openValidated, readSeries } from './readSeries.ts'
import type { FundingTask } from './readerTask.ts'
import { readTimesMs } from './rowSelection.ts'

/**
 * Reads what files tell about funding periods, packed as doubles; null for a file that cannot be read, so that it is
 * read again when it may have been mended.
 */
export function readFundingEvidence({ files, intervalMs }: FundingTask): (Float64Array | null)[] {
  return files.map((file) => {
    try {
      return intervalMs === null ? readAnnouncements(file) : packChanges(readChanges(file, intervalMs))
    } catch (thrown) {
      // The main thread validates a changed file and runs the task again.
      if (isChangedFile(thrown)) throw thrown
      if (toAppError(thrown).code === 'internal') throw thrown
      return null
    }
  })
}

/** Reads when raw events announced another next funding time: pairs of publication and announced time. */
function readAnnouncements(source: FundingTask['files'][number]): Float64Array {
  using file = openValidated(source)
  const [published, next] = ['local_timestamp', 'next_funding_timestamp'].map((name) =>
    file.columns.find((column) => column.name === name),
  )
  if (!published || !next) return new Float64Array(0)
  const range = { from: 0, to: file.rows }
  const changes = changedAnnouncements({
    publishedMs: readTimesMs(file, published, range),
    nextMs: readTimesMs(file, next, range),
  })
  const packed = new Float64Array(changes.nextMs.length * 2)
  for (let at = 0; at < changes.nextMs.length; at++) packed.set([changes.publishedMs[at], changes.nextMs[at]], at * 2)
  return packed
}

function readChanges(file: FundingTask['files'][number], intervalMs: number): RateChanges {
  const { frame } = readSeries({
    slices: [{ ...file, startMs: -Infinity, endMs: Infinity }],
    columns: ['funding_rate'],
    timeColumn: 'time',
    keepEqualTimes: false,
  })
  const [{ values: times }, rates] = frame.columns
  if (rates.kind !== 'number') return rateChanges(intervalMs, [], [])
  const { values, valid } = rates
  return rateChanges(
    intervalMs,
    times as Float64Array,
    valid ? values.map((rate, row) => (valid[row] ? rate : NaN)) : values,
  )
}

const packChanges = ({ count, longestMs, first, last, intervalMs }: RateChanges): Float64Array =>
  Float64Array.of(
    intervalMs,
    count,
    longestMs ?? NaN,
    first?.timeMs ?? NaN,
    first?.rate ?? NaN,
    last?.timeMs ?? NaN,
    last?.rate ?? NaN,
  )

export function unpackChanges(packed: Float64Array): RateChanges {
  const barAt = (at: number) => (Number.isNaN(packed[at]) ? null : { timeMs: packed[at], rate: packed[at + 1] })
  return {
    intervalMs: packed[0],
    count: packed[1],
    longestMs: Number.isNaN(packed[2]) ? null : packed[2],
    first: barAt(3),
    last: barAt(5),
  }
}
