import type { PricePath } from '#shared/lab/inspectPanel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import type { SheetChart } from '#shared/sheet/sheet.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { chartModel } from '../../charts/sheetChart.ts'
import type { Band, ChartModel, Pane } from '../../charts/model.ts'
import { labText } from '../../text/lab.ts'

const { spells: t } = labText

/** Number of spells that are shaded at most; the strip shows all. */
const MOST_SHADED = 2000
export const PRICE_PANE = 'price'
const STATE_COLOUR = 1

interface SpellsView {
  symbol: string
  /** The symbol as it is shown. */
  name: string
  /** The state of each symbol. */
  chart: SheetChart
  price: PricePath | null
  range: TimeRange | null
  barMs: number
}

/** The price of a symbol, if it is known, above the strip of its state; the price is shaded within spells. */
export function spellsModel(
  { symbols }: ResultOf<'spells'>,
  { symbol, name, chart, price, range, barMs }: SpellsView,
): ChartModel {
  const state = chart.series.filter(({ id }) => id === symbol)
  const strip = chartModel(t.title, [{ ...chart, series: state.map((one) => ({ ...one, colour: STATE_COLOUR })) }])
  const panes = state.length > 0 ? strip.panes : []
  if (!price) return { ...strip, panes, range }
  const spells = symbols.find((one) => one.symbol === symbol)?.spells ?? []
  const bands = spells.slice(0, MOST_SHADED).map(({ from, to }, at): Band => ({
    ...{ id: `spell-${at}`, kind: 'regime', label: t.on, colour: STATE_COLOUR, paneId: PRICE_PANE },
    ...{ startMs: from, endMs: to + barMs },
  }))
  return { ...strip, range, bands, panes: [pricePane(name, price), ...panes] }
}

const pricePane = (name: string, { times, price }: PricePath): Pane => ({
  ...{ id: PRICE_PANE, title: t.price(name), scale: 'linear' },
  series: [
    {
      ...{ id: PRICE_PANE, label: t.priceLabel, kind: 'price', unit: '', axis: 'left', transform: 'none' },
      ...{ style: 'line', valid: null, colour: 0 },
      times: Float64Array.from(times),
      values: Float64Array.from(price, (value) => value ?? NaN),
    },
  ],
})
