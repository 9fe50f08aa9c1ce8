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

interface PlacedFlag {
  x: number
  /** Text to draw; empty where another one has taken the room. */
  text: string
  title: string
}

const GAP_PX = 6

/** Places the flags that lie between two pixels; a text gives way to the one before it. */
export function placedFlags(
  { times, texts }: Flags,
  {
    x,
    fromPx,
    toPx,
    letterPx,
    mostLetters = 18,
  }: { x(timeMs: number): number; fromPx: number; toPx: number; letterPx: number; mostLetters?: number },
): PlacedFlag[] {
  const placed: PlacedFlag[] = []
  let reachedPx = -Infinity
  times.forEach((timeMs, at) => {
    const px = x(timeMs)
    if (!(px >= fromPx && px <= toPx)) return
    const text = texts[at].length > mostLetters ? `${texts[at].slice(0, mostLetters - 1)}…` : texts[at]
    const endPx = px + text.length * letterPx + GAP_PX
    const hasRoom = px >= reachedPx && endPx <= toPx
    if (hasRoom) reachedPx = endPx
    placed.push({ x: px, text: hasRoom ? text : '', title: texts[at] })
  })
  return placed
}
