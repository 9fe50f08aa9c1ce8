import { formatNumber } from '#shared/units/numbers.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { Bounds, ValueScale } from './scales.ts'

/** 1, 2 or 5 times a power of ten, at least as large as asked. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].find((multiple) => multiple * power >= least * (1 - 1e-9)) ?? 10
  return step * power
}

/** The next one below a nice step. */
const finerStep = (step: number) => niceStep(step / 2.5)

/** At round values, `leastStep` apart or more: 1 for what there are only whole numbers of. */
function evenTicks(bounds: Bounds, most: number, leastStep = 0): number[] {
  const usual = niceStep((bounds[1] - bounds[0]) / Math.max(1, most))
  if (!(usual > 0) || !Number.isFinite(usual)) return [bounds[0]]
  const ticks = ticksAt(bounds, Math.max(leastStep, usual))
  // One tick alone tells no size: a low axis rather has its labels close together.
  const finer = Math.max(leastStep, finerStep(usual))
  return ticks.length >= 2 || finer >= usual ? ticks : ticksAt(bounds, finer)
}

function ticksAt([low, high]: Bounds, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  // Divided, not multiplied, by powers below one: 3 × 0.1 is not 0.3.
  const at = (index: number) => (step < 1 ? index / Math.round(1 / step) : index * step)
  const exact = step < 1 && Math.abs(Math.round(1 / step) * step - 1) < 1e-9
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) =>
    exact || step >= 1 ? at(first + place) : (first + place) * step,
  )
}

/** Powers of ten, and 2 and 5 times them where there is room; every second, third … power where there is not. */
function powerTicks([low, high]: Bounds, most: number): number[] {
  const from = Math.floor(Math.log10(low) + 1e-9)
  const to = Math.floor(Math.log10(high) + 1e-9)
  const decades = to - Math.ceil(Math.log10(low) - 1e-9) + 1
  const multiples = decades * 3 <= most * 1.5 ? [1, 2, 5] : [1]
  const every = Math.max(1, Math.ceil(decades / most))
  const ticks: number[] = []
  for (let power = Math.ceil(from / every) * every; power <= to; power += every)
    for (const multiple of multiples) ticks.push(Number(`${multiple}e${power}`))
  return ticks.filter((tick) => tick >= low * (1 - 1e-12) && tick <= high * (1 + 1e-12))
}

/** Of the room that a tick has for itself: where the axis is linear the first power lies right beside zero. */
const APART_FROM_ZERO = 0.45

function symmetricTicks([low, high]: Bounds, most: number, linearBelow: number): number[] {
  const place = (value: number) => Math.asinh(value / linearBelow)
  const least = low <= 0 && high >= 0 ? (APART_FROM_ZERO * (place(high) - place(low))) / most : 0
  const side = (bound: number) =>
    bound > linearBelow ? powerTicks([linearBelow, bound], most / 2).filter((tick) => place(tick) >= least) : []
  const up = side(high).filter((tick) => tick >= low)
  const down = side(-low).filter((tick) => -tick <= high)
  const around = low <= 0 && high >= 0 ? [0] : []
  const ticks = [...down.map((tick) => -tick).reverse(), ...around, ...up]
  return ticks.length >= 2 ? ticks : evenTicks([low, high], most)
}

export function valueTicks(scale: ValueScale, bounds: Bounds, most: number, leastStep = 0): number[] {
  const [low, high] = bounds
  if (scale.name === 'symlog') return symmetricTicks(bounds, most, scale.linearBelow)
  // Within one decade powers of ten would leave an axis nearly bare.
  if (scale.name === 'log' && high / low > 8) return powerTicks(bounds, most)
  return evenTicks(bounds, most, leastStep).filter((tick) => scale.name !== 'log' || tick > 0)
}

const sizes: [size: number, letter: string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
]

/** One text per tick, all with the decimals that their distance needs; millions and more are shortened. */
export function tickLabels(ticks: readonly number[], kind: NumberKind): string[] {
  const shown = ticks.map((tick) => (kind === 'share' ? tick * 100 : tick))
  const largest = Math.max(...shown.map(Math.abs), 0)
  const [size, letter] = sizes.find(([least]) => largest >= least * 10) ?? [1, '']
  const isEven = shown.length < 3 || Math.abs(shown[1] - shown[0] - (shown[2] - shown[1])) < 1e-6 * largest
  const gap = shown.length > 1 ? Math.abs(shown[1] - shown[0]) : largest
  return shown.map((tick) => {
    const apart = (isEven ? gap : Math.abs(tick)) / size
    const decimals = apart > 0 ? Math.max(0, Math.min(12, -Math.floor(Math.log10(apart) + 1e-9))) : 0
    // Many zeros nobody counts: as a power of ten.
    const isTiny = decimals > 6 && largest < 1e-4
    return tick === 0 ? '0' : formatNumber(tick / size, isTiny ? 0 : decimals) + letter
  })
}
