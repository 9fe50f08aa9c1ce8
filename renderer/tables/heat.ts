import type { Cell } from './rows.ts'

/** Colours cells by value; the number stays readable beside it. Without limits they come from a sample of the column. */
export interface Heat {
  /** `sequential` from low to high; `diverging` away from `middle` (0) both ways. */
  scale: 'sequential' | 'diverging'
  low?: number
  high?: number
  middle?: number
  /** Diverging: full colour is this far from the middle at least, so that noise looks like nothing. */
  leastReach?: number
}

/** Strength from 0 to 1 and the side it lies on; null for what has no colour. */
export type HeatOf = (value: Cell) => { strength: number; side: 'low' | 'high' } | null

/** Single far outliers would leave all others pale: the limits are these shares of the sorted sample. */
const LOW_SHARE = 0.02
const HIGH_SHARE = 0.98

export function heatOf(heat: Heat, sample: readonly (Cell | undefined)[]): HeatOf {
  const sorted = sample.filter((cell) => Number.isFinite(cell)).map(Number)
  sorted.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  const low = heat.low ?? at(LOW_SHARE)
  const high = heat.high ?? at(HIGH_SHARE)
  const share = (part: number, whole: number) => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0)
  if (heat.scale === 'sequential') {
    return (value) => (isColoured(value) ? { strength: share(value - low, high - low), side: 'high' } : null)
  }
  const middle = heat.middle ?? 0
  const reach = Math.max(Math.abs(high - middle), Math.abs(low - middle), heat.leastReach ?? 0)
  return (value) =>
    isColoured(value)
      ? { strength: share(Math.abs(value - middle), reach), side: value < middle ? 'low' : 'high' }
      : null
}

const isColoured = (value: Cell): value is number => typeof value === 'number' && !Number.isNaN(value)
