import type { ScaleName } from '#shared/workspace/chartStyle.ts'

/** How values become places along an axis, and back. */
export interface ValueScale {
  name: ScaleName
  /** Of symlog: between minus this and this the axis is linear. */
  linearBelow: number
  forward(value: number): number
  backward(place: number): number
}

export type Bounds = readonly [low: number, high: number]

const same = (value: number) => value

export function valueScale(name: ScaleName, linearBelow = 1): ValueScale {
  if (name === 'log') return { name, linearBelow, forward: Math.log10, backward: (place) => 10 ** place }
  if (name === 'symlog')
    return {
      name,
      linearBelow,
      forward: (value) => Math.asinh(value / linearBelow),
      backward: (place) => Math.sinh(place) * linearBelow,
    }
  return { name, linearBelow, forward: same, backward: same }
}

/** A power of ten below which a symlog axis is linear: four decades under the largest value. */
export function linearBelowOf([low, high]: Bounds): number {
  const largest = Math.max(Math.abs(low), Math.abs(high))
  return largest > 0 ? 10 ** (Math.floor(Math.log10(largest)) - 3) : 1
}

const MARGIN = 0.06

/** Of one value alone: a hundredth of it, or what is about as large as it may be where it is nothing. */
const aroundOne = ({ name }: ValueScale, place: number, leastStep: number) =>
  name === 'log' ? Math.max(Math.abs(place) * 0.01, 0.1) : Math.max(leastStep, Math.abs(place) * 0.01) || 1

/**
 * What an axis spans so that values keep off its ends. One value alone stands in the middle, with the next ones beside it
 * where values have a least step.
 */
export function axisBounds(scale: ValueScale, [low, high]: Bounds, fromZero: boolean, leastStep = 0): Bounds {
  if (!(low <= high)) return scale.name === 'log' ? [1, 10] : [0, 1]
  const start = fromZero && scale.name !== 'log' ? Math.min(low, 0) : low
  const end = fromZero && scale.name !== 'log' ? Math.max(high, 0) : high
  const [from, to] = [scale.forward(start), scale.forward(end)]
  const spread = to - from
  // Far from 0 the least spread is what a double can still tell apart.
  const least = Math.max(Math.abs(from), Math.abs(to)) * 1e-9
  const margin = spread > least ? spread * MARGIN : aroundOne(scale, from, leastStep)
  const keepsZero = (bound: number) => fromZero && bound === 0 && scale.name !== 'log'
  return [
    keepsZero(start) ? 0 : finite(scale.backward(from - margin)),
    keepsZero(end) && start !== 0 ? 0 : finite(scale.backward(to + margin)),
  ]
}

const finite = (value: number) => Math.max(-Number.MAX_VALUE / 4, Math.min(Number.MAX_VALUE / 4, value))
