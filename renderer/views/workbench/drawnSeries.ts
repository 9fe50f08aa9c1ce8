import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { partName } from '#shared/overview/buckets.ts'
import { drawnCandles, drawnRows, type DrawnCandles, type DrawnRows } from '#shared/overview/drawn.ts'
import type { Moments } from '../../charts/model.ts'

interface Drawn {
  rows: DrawnRows | DrawnCandles
  moments: Moments | undefined
}

const made = new WeakMap<OverviewPoints, Map<string, Drawn>>()

/** Points as a chart takes them; made once, so that the chart knows the same arrays again. */
export function drawnSeries(points: OverviewPoints, column: string, asCandles: boolean): Drawn {
  const kept = made.get(points) ?? new Map<string, Drawn>()
  made.set(points, kept)
  const key = `${column} ${asCandles}`
  const known = kept.get(key)
  if (known) return known
  const rows = asCandles ? drawnCandles(points) : drawnRows(points, column)
  const drawn = { rows, moments: momentsOf(points, column) }
  kept.set(key, drawn)
  return drawn
}

function momentsOf({ kind, frame }: OverviewPoints, column: string): Moments | undefined {
  if (kind === 'rows') return undefined
  const numbers = (name: string): Float64Array => {
    const found = columnOf(frame, name)
    return found && found.kind !== 'text' ? found.values : new Float64Array(frame.rows)
  }
  return {
    times: numbers('time'),
    count: numbers(partName(column, 'count')),
    mean: numbers(partName(column, 'mean')),
    m2: numbers(partName(column, 'm2')),
  }
}
