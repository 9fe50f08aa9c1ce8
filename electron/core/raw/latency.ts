import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import type { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readTexts, readTimesUs, type FileRowRange } from '#core/parquet/readColumn.ts'
import type { FileToRead } from '#core/series/readerTask.ts'
import { openValidated } from '#core/series/readSeries.ts'
import type { EventLatency } from '#shared/contract/areas/raw.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { quantile } from '#shared/metrics/quantile.ts'
import { latencyLevels } from '#shared/statistics/levels.ts'

const US_PER_MS = 1000
/** Number of bins over the period of a file; a bin of a daily file is five minutes long. */
const BIN_COUNT = 288

export interface LatencyTask extends FileToRead {
  startMs: number
  endMs: number
}

/** Measures the latency from the venue to the capture machine. Rows with a modelled time are left out and counted. */
export function readLatency({ startMs, endMs, ...source }: LatencyTask): EventLatency {
  using file = openValidated(source)
  const counts = new LatencyCounts()
  const overTime = new LatencyOverTime(startMs * US_PER_MS, ((endMs - startMs) * US_PER_MS) / BIN_COUNT)
  let modelledArrivals = 0
  let modelledTimes = 0
  for (const { startRow, rows } of file.rowGroups) {
    const range = { from: startRow, to: startRow + rows }
    const times = new Float64Array(rows)
    const arrivals = new Float64Array(rows)
    const latencies = new Float64Array(rows)
    readTimesUs(file, 'exchange_timestamp', range, { values: times, at: 0 })
    readTimesUs(file, 'local_timestamp', range, { values: arrivals, at: 0 })
    const isModelledTime = modelledRows(file, 'exchange_timestamp_kind', range)
    const isModelledArrival = modelledRows(file, 'local_timestamp_kind', range)
    let count = 0
    for (let row = 0; row < rows; row++) {
      const arrivalModelled = isModelledArrival?.[row] ?? 0
      const timeModelled = isModelledTime?.[row] ?? 0
      modelledArrivals += arrivalModelled
      modelledTimes += timeModelled
      if (arrivalModelled + timeModelled > 0 || Number.isNaN(arrivals[row] - times[row])) continue
      times[count] = times[row]
      latencies[count++] = arrivals[row] - times[row]
    }
    counts.add(latencies.subarray(0, count))
    overTime.add(times, latencies, count)
  }
  return {
    measured: counts.count,
    modelledArrivals,
    modelledTimes,
    ...counts.summary(),
    overTime: overTime.finish(),
  }
}

/** Marks with 1 the rows whose time was not measured according to column `name`; null if there is no such column. */
function modelledRows(file: ParquetFile, name: string, range: FileRowRange): Uint8Array | null {
  if (file.indexOf(name) < 0) return null
  const codes = new Uint8Array(range.to - range.from)
  readTexts(file, name, range, new TextDictionary(['measured']), { values: codes, at: 0 })
  for (let row = 0; row < codes.length; row++) codes[row] = codes[row] === 0 ? 0 : 1
  return codes
}

/**
 * Quantiles of the latency in each bin of time. Events are stored roughly in order, so a bin is finished once an event
 * three bins later is read.
 */
class LatencyOverTime {
  private readonly startUs: number
  private readonly binUs: number
  private readonly openBins = new Map<number, Float64Array[]>()
  private readonly rows: { bin: number; count: number; p50: number; p95: number; p99: number; max: number }[] = []

  constructor(startUs: number, binUs: number) {
    this.startUs = startUs
    this.binUs = binUs
  }

  add(timesUs: Float64Array, latencies: Float64Array, count: number): void {
    for (let from = 0; from < count;) {
      const bin = Math.floor((timesUs[from] - this.startUs) / this.binUs)
      const binStart = this.startUs + bin * this.binUs
      let to = from + 1
      while (to < count && timesUs[to] >= binStart && timesUs[to] < binStart + this.binUs) to++
      const parts = this.openBins.get(bin) ?? []
      parts.push(latencies.slice(from, to))
      this.openBins.set(bin, parts)
      from = to
    }
    const newestBin = Math.max(...this.openBins.keys())
    for (const bin of [...this.openBins.keys()]) if (bin < newestBin - 2) this.close(bin)
  }

  finish(): EventLatency['overTime'] {
    for (const bin of [...this.openBins.keys()]) this.close(bin)
    const rows = this.rows.toSorted((a, b) => a.bin - b.bin)
    const values = (name: 'count' | 'p50' | 'p95' | 'p99' | 'max') =>
      numberColumn(
        name,
        rows.map((row) => row[name]),
      )
    const starts = rows.map(({ bin }) => (this.startUs + bin * this.binUs) / US_PER_MS)
    return {
      rows: rows.length,
      columns: [
        timeColumn('time', starts),
        values('count'),
        values('p50'),
        values('p95'),
        values('p99'),
        values('max'),
      ],
    }
  }

  private close(bin: number): void {
    const parts = this.openBins.get(bin) ?? []
    this.openBins.delete(bin)
    const allLatencies = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      allLatencies.set(part, at)
      at += part.length
    }
    const [p50, p95, p99] = [50, 95, 99].map((level) => quantile(allLatencies, level, 100) / US_PER_MS)
    const max = allLatencies.reduce((most, value) => Math.max(most, value), -Infinity) / US_PER_MS
    this.rows.push({ bin, count: allLatencies.length, p50, p95, p99, max })
  }
}

/** Latencies from zero to below this limit are counted per microsecond; all others are stored individually. */
const COUNTED_US = 2_000_000
/** Bars of the histogram per power of ten. */
const BARS_PER_DECADE = 12

/**
 * Counts how often each latency, in integer microseconds, occurs. This yields exact quantiles without sorting most of
 * the latencies.
 */
class LatencyCounts {
  count = 0
  negative = 0
  private readonly counts = new Uint32Array(COUNTED_US)
  private readonly uncounted: number[] = []
  private sum = 0
  private min = Infinity
  private max = -Infinity

  add(latenciesUs: Float64Array): void {
    for (let at = 0; at < latenciesUs.length; at++) {
      const us = latenciesUs[at]
      if (Number.isNaN(us)) continue
      if (us >= 0 && us < COUNTED_US) this.counts[us | 0]++
      else this.uncounted.push(us)
      if (us < 0) this.negative++
      if (us < this.min) this.min = us
      if (us > this.max) this.max = us
      this.sum += us
      this.count++
    }
    if (this.uncounted.length > 0) this.uncounted.sort((a, b) => a - b)
  }

  summary() {
    const { count, negative, min, max, sum } = this
    if (count === 0) return { negative, minMs: null, maxMs: null, meanMs: null, quantilesMs: [], bars: [] }
    return {
      negative,
      minMs: min / US_PER_MS,
      maxMs: max / US_PER_MS,
      meanMs: sum / count / US_PER_MS,
      quantilesMs: latencyLevels.map((level) => this.quantile(level) / US_PER_MS),
      bars: this.bars(),
    }
  }

  /** Interpolates linearly between the two nearest ranks, like every other quantile in the app. */
  private quantile(level: number): number {
    const position = level * (this.count - 1)
    const below = this.latencyAtRank(Math.floor(position))
    const share = position - Math.floor(position)
    return share === 0 ? below : below + share * (this.latencyAtRank(Math.ceil(position)) - below)
  }

  private latencyAtRank(rank: number): number {
    if (rank < this.negative) return this.uncounted[rank]
    let seenCount = this.negative
    for (let us = 0; us < COUNTED_US; us++) {
      seenCount += this.counts[us]
      if (seenCount > rank) return us
    }
    return this.uncounted[this.negative + rank - seenCount]
  }

  /** Returns the bars of a histogram with a logarithmic axis; all latencies below a microsecond share one bar. */
  private bars(): { fromMs: number; toMs: number; count: number }[] {
    const bars: number[] = []
    const addToBar = (us: number, count: number) => {
      const bar = us < 1 ? 0 : 1 + Math.floor(Math.log10(us) * BARS_PER_DECADE)
      bars[bar] = (bars[bar] ?? 0) + count
    }
    for (let us = 0; us < COUNTED_US; us++) if (this.counts[us] > 0) addToBar(us, this.counts[us])
    for (const us of this.uncounted) addToBar(us, 1)
    const firstBar = bars.findIndex((count) => count > 0)
    const edge = (bar: number) => (bar === 0 ? 0 : 10 ** ((bar - 1) / BARS_PER_DECADE) / US_PER_MS)
    return Array.from(bars, (count = 0, bar) => ({ fromMs: edge(bar), toMs: edge(bar + 1), count })).slice(firstBar)
  }
}
