import type { Pane } from './model.ts'
import { wrapped } from './wrapped.ts'

export const LEGEND_LINE_PX = 24
const LETTER_PX = 6.6
const MARK_PX = 23
const GAP_PX = 14
const PADDING_PX = 16
/** Room for the values under the cursor, also while there is none: what is pointed at must not move the panes. */
const VALUE_PX = 80
const CANDLE_VALUES_PX = 350
/** What the scale of a pane is called. */
const SCALE_PX = 130

/** How high the legend of a pane stands: as many lines as its series need. */
export function legendHeightPx({ title, scale, series }: Pane, widthPx: number): number {
  const entries = series.map(({ label, badges = [], style }) => {
    const letters = label.length + badges.reduce((sum, badge) => sum + badge.length + 2, 0)
    return { widthPx: MARK_PX + letters * LETTER_PX + (style === 'candles' ? CANDLE_VALUES_PX : VALUE_PX) }
  })
  if (scale !== 'linear') entries.push({ widthPx: SCALE_PX })
  const roomPx = widthPx - PADDING_PX - title.length * LETTER_PX
  return wrapped(entries, (entry) => entry.widthPx, { roomPx, gapPx: GAP_PX }).length * LEGEND_LINE_PX
}
