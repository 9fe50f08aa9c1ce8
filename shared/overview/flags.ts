import type { OverviewPoints } from '../contract/areas/series.ts'
import { columnOf } from '../contract/frame.ts'
import { EVENTS_COLUMN } from '../formula/ownData.ts'

/** Events that a chart draws as flags: a line at each time, with its text where there is room. */
export interface Flags {
  times: Float64Array
  texts: readonly string[]
}

/** Returns the flags in the points of events; null for any other points. */
export function flagsIn({ frame }: OverviewPoints): Flags | null {
  const [times] = frame.columns
  const texts = columnOf(frame, EVENTS_COLUMN)
  if (times?.kind !== 'time' || texts?.kind !== 'text') return null
  return { times: times.values, texts: Array.from(texts.values, (code) => texts.dictionary[code]) }
}

interface PlacedFlag<Of extends Flags> {
  of: Of
  x: number
  /** Text to draw; empty where another one has taken the room. */
  text: string
  /** Edge of the text that stands at the line. */
  align: 'left' | 'right'
  title: string
}

const GAP_PX = 6
/** A text is cut off at the next flag only if it keeps this many letters. */
const LEAST_LETTERS = 6
/** Letters of a text that covers other flags or stands left of its line, and of one that has room. */
const USUAL_LETTERS = 18
const MOST_LETTERS = 40

const cutText = (text: string, letters: number) =>
  text.length > letters ? `${text.slice(0, letters - 1).trimEnd()}…` : text

/**
 * Places the flags of all series that lie between two pixels. A text that would cross the right edge stands left of its
 * line; any other ends at the next flag, or covers those that are too near. Flags without text come first: drawn in
 * this order, no line crosses a text.
 */
export function placedFlags<Of extends Flags>(
  series: readonly Of[],
  { x, fromPx, toPx, letterPx }: { x(timeMs: number): number; fromPx: number; toPx: number; letterPx: number },
): PlacedFlag<Of>[] {
  const widthPx = (text: string) => text.length * letterPx + GAP_PX
  const flags = series
    .flatMap((of) => Array.from(of.times, (timeMs, at) => ({ of, x: x(timeMs), title: of.texts[at] })))
    .filter((flag) => flag.x >= fromPx && flag.x <= toPx)
    .sort((a, b) => a.x - b.x)
    .map((flag) => {
      const text = cutText(flag.title, USUAL_LETTERS)
      const leftPx = flag.x - widthPx(text)
      return flag.x + widthPx(text) > toPx && leftPx >= fromPx
        ? { ...flag, text, align: 'right' as const, startPx: leftPx }
        : { ...flag, text, align: 'left' as const, startPx: flag.x }
    })
  let reachedPx = -Infinity
  const placed = flags.map(({ startPx, ...flag }, at): PlacedFlag<Of> => {
    const letters = Math.floor(((flags.at(at + 1)?.startPx ?? toPx) - flag.x - GAP_PX) / letterPx)
    const isUsual = flag.align === 'right' || letters < LEAST_LETTERS
    const text = isUsual ? flag.text : cutText(flag.title, Math.min(letters, MOST_LETTERS))
    const endPx = startPx + widthPx(text)
    if (startPx < reachedPx || endPx > toPx) return { ...flag, text: '' }
    reachedPx = endPx
    return { ...flag, text }
  })
  return placed.toSorted((a, b) => Number(a.text !== '') - Number(b.text !== ''))
}
