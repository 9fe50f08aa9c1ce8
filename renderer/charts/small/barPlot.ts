import type { NumberKind } from '#shared/units/numberKinds.ts'
import { valueScale } from '../scales.ts'
import { tickLabels, valueTicks } from '../valueTicks.ts'

export interface Bar {
  label: string
  value: number | null
}

const TICK_PX = 36
/** The longest bar keeps off the edge, so that it does not look cut. */
const MARGIN = 0.04

/** Where values stand between 0 px, the highest, and `heightPx`; null where no bar has a length. */
export function barPlot(bars: readonly Bar[], kind: NumberKind, heightPx: number) {
  const values = bars.map(({ value }) => value ?? 0)
  const least = values.reduce((low, value) => Math.min(low, value), 0)
  const most = values.reduce((high, value) => Math.max(high, value), 0)
  if (most === least) return null
  const margin = (most - least) * MARGIN
  const [low, high] = [least < 0 ? least - margin : 0, most > 0 ? most + margin : 0]
  const ticks = valueTicks(valueScale('linear'), [low, high], Math.max(2, Math.floor(heightPx / TICK_PX)))
  const shown = kind === 'count' ? ticks.filter(Number.isInteger) : ticks
  const labels = tickLabels(shown, kind)
  return {
    y: (value: number) => ((high - value) / (high - low)) * heightPx,
    ticks: shown.map((value, at) => ({ value, label: labels[at] })),
  }
}
