import type { EventLatency } from '#shared/contract/areas/raw.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { quantile } from '#shared/metrics/quantile.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readTexts, readTimesUs, type RowRange } from '#core/parquet/readColumn.ts'
import { TextDictionary } from '#core/parquet/decodeTexts.ts'
import { LatencyCounts } from './latencyCounts.ts'

const US_PER_MS = 1000
/** A day in pieces of five minutes. */
const BINS = 288

export interface LatencyTask {
  path: string
  startMs: number
  endMs: number
}

/** Measures the latency from the venue to the capture machine. Rows with a modelled time are left out, and counted. */
export function readLatency({ path, startMs, endMs }: LatencyTask): EventLatency {
  using file = new ParquetFile(path, { remember: false })
  const counts = new LatencyCounts()
  const overTime = new LatencyOverTime(startMs * US_PER_MS, ((endMs - startMs) * US_PER_MS) / BINS)
  let modelledArrivals = 0
  let modelledTimes = 0
  for (const { startRow, rows } of file.rowGroups) {
    const range = { from: startRow, to: startRow + rows }
    const times = new Float64Array(rows)
    const arrivals = new Float64Array(rows)
    readTimesUs(file, 'exchange_timestamp', range, { values: times, at: 0 })
    readTimesUs(file, 'local_timestamp', range, { values: arrivals, at: 0 })
    const isModelledTime = modelled(file, 'exchange_timestamp_kind', range)
    const isModelledArrival = modelled(file, 'local_timestamp_kind', range)
    let count = 0
    for (let row = 0; row < rows; row++) {
      const arrivalModelled = isModelledArrival?.[row] ?? 0
      const timeModelled = isModelledTime?.[row] ?? 0
      modelledArrivals += arrivalModelled
      modelledTimes += timeModelled
      if (arrivalModelled + timeModelled > 0 || Number.isNaN(arrivals[row] - times[row])) continue
      times[count] = times[row]
      arrivals[count++] = arrivals[row] - times[row]
    }
    counts.add(arrivals.subarray(0, count))
    overTime.add(times, arrivals, count)
  }
  return {
    measured: counts.count,
    modelledArrivals,
    modelledTimes,
    ...counts.summary(),
    overTime: overTime.finish(),
  }
}

/** Marks rows with a modelled time by 1; null if no row has one. */
function modelled(file: ParquetFile, name: string, range: RowRange): Uint8Array | null {
  if (file.indexOf(name) < 0) return null
  const codes = new Uint8Array(range.to - range.from)
  readTexts(file, name, range, new TextDictionary(['measured']), { values: codes, at: 0 })
  for (let row = 0; row < codes.length; row++) codes[row] = codes[row] === 0 ? 0 : 1
  return codes
}

/** Quantiles by the time of the events. Events come about in order: a bin is done once events two bins on have come. */
class LatencyOverTime {
  private readonly startUs: number
  private readonly binUs: number
  private readonly waiting = new Map<number, Float64Array[]>()
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
      const parts = this.waiting.get(bin) ?? []
      parts.push(latencies.slice(from, to))
      this.waiting.set(bin, parts)
      from = to
    }
    const newest = Math.max(...this.waiting.keys())
    for (const bin of [...this.waiting.keys()]) if (bin < newest - 2) this.close(bin)
  }

  finish(): EventLatency['overTime'] {
    for (const bin of [...this.waiting.keys()]) this.close(bin)
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
    const parts = this.waiting.get(bin) ?? []
    this.waiting.delete(bin)
    const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    const [p50, p95, p99] = [50, 95, 99].map((level) => quantile(all, level, 100) / US_PER_MS)
    const max = all.reduce((most, value) => Math.max(most, value), -Infinity) / US_PER_MS
    this.rows.push({ bin, count: all.length, p50, p95, p99, max })
  }
}
