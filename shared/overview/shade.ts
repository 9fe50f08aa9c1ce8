import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { formatPercent } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import { binFieldName } from './bins.ts'
import type { PathSink } from './marks.ts'

/** Stretches of time in which a state is on, one after the other, each with how much of it the state is on. */
export interface ShadeSpans {
  from: Float64Array
  to: Float64Array
  /** From 1, on during a quarter of the time or less, to 4. */
  level: Uint8Array
}

/** Number of tints by which stretches differ that stand for many rows. */
export const SHADE_LEVELS = 4

/** A state that shades a chart, with its figures over the range in view. */
export interface Shade {
  id: string
  label: string
  /** Index in the series palette. */
  colour: number
  spans: ShadeSpans
  /** Share of the rows with a value at which the state is on; null until it is known, or without rows. */
  share: number | null
  /** Number of unbroken stretches of rows at which the state is on; null until it is known. */
  spells: number | null
}

/** Says how much of the time a state is on, and in how many spells; empty until it is known. */
export function shadeText({ share, spells }: Pick<Shade, 'share' | 'spells'>): string {
  if (spells === null) return ''
  return share === null ? 'no value' : `${formatPercent(share, 1)} % of the time, ${plural(spells, 'spell')}`
}

/** Numbers of a column, NaN where one is missing. */
function numbersOf(frame: Frame, name: string): Float64Array {
  const column = columnOf(frame, name)
  if (!column || column.kind === 'text') return new Float64Array(0)
  const { values, valid } = column
  return valid ? values.map((value, row) => (valid[row] === 0 ? NaN : value)) : values
}

/** Finds where a state, whose points are 1 while it is on and else 0, is on. */
export function shadeSpans({ kind, frame, binMs, stepMs }: OverviewPoints): ShadeSpans {
  const times = numbersOf(frame, 'time')
  const widthMs = (kind === 'bins' ? binMs : stepMs) ?? 0
  // The mean of a bin is the share of its rows at which the state is on.
  const share = numbersOf(frame, kind === 'bins' ? binFieldName('value', 'mean') : 'value')
  const [from, to, level] = [
    new Float64Array(times.length),
    new Float64Array(times.length),
    new Uint8Array(times.length),
  ]
  let count = 0
  for (let at = 0; at < times.length; at += 1) {
    const on = Math.ceil(share[at] * SHADE_LEVELS)
    if (!(on > 0)) continue
    // A bin that was split at an edge ends where its second part begins.
    const endMs = Math.min(times[at] + widthMs, times[at + 1] ?? Infinity)
    if (count > 0 && to[count - 1] === times[at] && level[count - 1] === on) to[count - 1] = endMs
    else {
      ;[from[count], to[count], level[count]] = [times[at], endMs, on]
      count += 1
    }
  }
  return { from: from.slice(0, count), to: to.slice(0, count), level: level.slice(0, count) }
}

/** The part of a plot that shading fills. */
export interface ShadedBox {
  x(timeMs: number): number
  left: number
  top: number
  width: number
  height: number
  /** Size of a CSS pixel in target pixels. */
  pixel: number
}

/** Draws the stretches of one level; each is at least a pixel wide. */
export function drawShade({ from, to, level }: ShadeSpans, drawn: number, box: ShadedBox, sink: PathSink): void {
  const right = box.left + box.width
  for (let at = 0; at < from.length; at += 1) {
    if (level[at] !== drawn) continue
    const start = Math.max(box.left, box.x(from[at]))
    const end = Math.min(right, Math.max(box.x(to[at]), start + box.pixel))
    if (start < end) sink.rect(start, box.top, end - start, box.height)
  }
}

const FULL_ALPHA = 0.2

/** Opacity of the tint of a level. */
export const shadeAlpha = (level: number): number => (FULL_ALPHA * level) / SHADE_LEVELS
