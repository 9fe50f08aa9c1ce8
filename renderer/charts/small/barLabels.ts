/** Where the names of bars stand below them. */
export interface BarLabel {
  /** Whose name it is. */
  at: number
  /** The middle of the words, counted from the left of the first bar. */
  px: number
  /** 1: a line lower, where names side by side have no room. */
  line: 0 | 1
}

const steps = [1, 2, 5, 10, 20, 50, 100]

/**
 * The names that have room. @param edgeAt the bars are a histogram's: names say where bars begin, and stand there; that of
 * this bar (often 0) is among those shown
 */
export function barLabels(count: number, stepPx: number, widestPx: number, edgeAt: number | null): BarLabel[] {
  const fits = (every: number) => every * stepPx >= widestPx
  const all = Array.from({ length: count }, (_, at) => at)
  if (edgeAt === null) {
    const every = Math.max(1, Math.ceil(widestPx / stepPx / 2))
    const isTwoLines = !fits(every)
    return all
      .filter((at) => at % every === 0)
      .map((at, place): BarLabel => ({
        at,
        px: (at + 0.5) * stepPx,
        line: isTwoLines && place % 2 === 1 ? 1 : 0,
      }))
      .filter(({ px }) => isInside(px, widestPx, count * stepPx))
  }
  const every = steps.find(fits) ?? Math.ceil(widestPx / stepPx)
  return all
    .filter((at) => (at - edgeAt) % every === 0)
    .map((at) => ({ at, px: at * stepPx, line: 0 as const }))
    .filter(({ px }) => isInside(px, widestPx, count * stepPx))
}

const isInside = (px: number, widestPx: number, widthPx: number) =>
  px >= widestPx / 2 - 8 && px <= widthPx - widestPx / 2 + 8
