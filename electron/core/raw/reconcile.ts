import type { ColumnAgreement, Reconciliation } from '#shared/contract/areas/raw.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { columnOf, type Column, type Frame } from '#shared/contract/frame.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import type { WorkOptions } from './imports.ts'

/** A metric series over a half-open range of time. */
interface ReconcileRequest {
  connectionId: string
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: 'exchange' | 'true'
  startMs: number
  endMs: number
}

/** Relative difference up to which values agree. */
const TOLERANCE = 1e-6
const ROWS_AT_ONCE = 20_000

/** Compares computed rows with the downloaded rows of the same series that have the same times. */
export async function reconcile(
  series: Pick<SeriesService, 'read'>,
  venues: Pick<Venues, 'find'>,
  { startMs, endMs, timestamp, ...seriesFields }: ReconcileRequest,
  { signal, onProgress }: WorkOptions,
): Promise<Reconciliation> {
  const read = async (connectionId: string, fromMs: number, toMs: number, limitRows: number) => {
    const ownedSeries = { ...seriesFields, connectionId, kind: 'metrics' as const, timestamp }
    return series.read({ series: ownedSeries, timestamp, columns: [], startMs: fromMs, endMs: toMs, limitRows }, signal)
  }
  const tallies = new Map<string, ColumnTally>()
  const rows = { compared: 0, onlyComputed: 0, onlyServed: 0 }
  let fromMs = startMs
  while (fromMs < endMs) {
    onProgress({ done: fromMs - startMs, total: endMs - startMs, message: 'compared' })
    const computedRows = await read(computedOwner(seriesFields.connectionId), fromMs, endMs, ROWS_AT_ONCE)
    const toMs = computedRows.nextMs ?? endMs
    const servedRows = await read(seriesFields.connectionId, fromMs, toMs, Number.MAX_SAFE_INTEGER)
    compareRows(computedRows.frame, servedRows.frame, rows, tallies)
    fromMs = toMs
  }
  if (rows.compared + rows.onlyComputed === 0)
    throw new AppError('not-here', 'Nothing has been computed here for this series yet.')
  if (rows.compared + rows.onlyServed === 0)
    throw new AppError('not-here', 'The service’s files for this series are not cached. Download them to compare.')
  return {
    ...rows,
    columns: [...tallies.values()].map((tally) => tally.agreement()),
    modelledTime: modelledTimeNote({ ...seriesFields, timestamp }, venues),
  }
}

function compareRows(
  computed: Frame,
  served: Frame,
  rows: Pick<Reconciliation, 'compared' | 'onlyComputed' | 'onlyServed'>,
  tallies: Map<string, ColumnTally>,
): void {
  const [a, b] = [timesOf(computed), timesOf(served)]
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (j >= b.length || a[i] < b[j]) {
      rows.onlyComputed++
      i++
    } else if (i >= a.length || b[j] < a[i]) {
      rows.onlyServed++
      j++
    } else pairs.push([i++, j++])
  }
  rows.compared += pairs.length
  const names = new Set([...computed.columns, ...served.columns].map(({ name }) => name))
  names.delete('time')
  for (const name of names) {
    const tally = tallies.get(name) ?? new ColumnTally(name)
    tallies.set(name, tally)
    tally.add(a, pairs, columnOf(computed, name), columnOf(served, name))
  }
}

const timesOf = (frame: Frame) => (columnOf(frame, 'time')?.values ?? new Float64Array(0)) as Float64Array

class ColumnTally {
  private readonly result: ColumnAgreement

  constructor(name: string) {
    const noDifference = { largest: 0, largestRelative: 0, largestAtMs: null, computedThere: null, servedThere: null }
    this.result = {
      name,
      rows: 0,
      agree: 0,
      bothMissing: 0,
      onlyComputed: 0,
      onlyServed: 0,
      isInBoth: true,
      ...noDifference,
    }
  }

  add(timesMs: Float64Array, pairs: readonly [number, number][], computed?: Column, served?: Column): void {
    const { result } = this
    result.rows += pairs.length
    if (!computed || !served) {
      if (pairs.length > 0) result.isInBoth = false
      return
    }
    for (const [i, j] of pairs) {
      const a = valueAt(computed, i)
      const b = valueAt(served, j)
      if (Number.isNaN(a) || Number.isNaN(b)) {
        if (!Number.isNaN(a)) result.onlyComputed++
        else if (!Number.isNaN(b)) result.onlyServed++
        else {
          result.bothMissing++
          result.agree++
        }
        continue
      }
      const difference = Math.abs(a - b)
      const scale = Math.max(Math.abs(a), Math.abs(b))
      const relative = scale === 0 ? 0 : difference / scale
      if (relative <= TOLERANCE || difference <= 1e-12) result.agree++
      if (relative <= result.largestRelative) continue
      Object.assign(result, {
        largest: difference,
        largestRelative: relative,
        largestAtMs: timesMs[i],
        computedThere: a,
        servedThere: b,
      })
    }
  }

  agreement(): ColumnAgreement {
    return this.result
  }
}

/** Returns a number; NaN if the cell is text, missing or infinite, because such cells cannot be compared. */
function valueAt(column: Column, row: number): number {
  if (column.kind === 'text' || (column.valid && !column.valid[row])) return NaN
  const value = column.values[row]
  return Number.isFinite(value) ? value : NaN
}
