import type { PricePath } from '#shared/lab/inspectPanel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import type { SheetChart } from '#shared/sheet/sheet.ts'
import { SHADE_LEVELS, type Shade } from '#shared/overview/shade.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { chartModel } from '../../charts/sheetChart.ts'
import type { ChartModel, Pane } from '../../charts/model.ts'
import { labText } from '../../text/lab.ts'

const { spells: t } = labText

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

/** The price of a symbol, if it is known, above the strip of its state, shaded within spells. */
export function spellsModel(
  { symbols }: ResultOf<'spells'>,
  { symbol, name, chart, price, range, barMs }: SpellsView,
): ChartModel {
  const state = chart.series.filter(({ id }) => id === symbol)
  const strip = chartModel(t.title, [{ ...chart, series: state.map((one) => ({ ...one, colour: STATE_COLOUR })) }])
  const panes = state.length > 0 ? strip.panes : []
  if (!price) return { ...strip, panes, range }
  const shades = symbols.filter((one) => one.symbol === symbol).map((one) => spellsShade(one, barMs))
  return { ...strip, range, shades, panes: [pricePane(name, price), ...panes] }
}

const spellsShade = ({ spells, share }: ResultOf<'spells'>['symbols'][number], barMs: number): Shade => ({
  ...{ id: 'spells', label: t.on, colour: STATE_COLOUR, share, spells: spells.length },
  spans: {
    from: Float64Array.from(spells, ({ from }) => from),
    to: Float64Array.from(spells, ({ to }) => to + barMs),
    level: new Uint8Array(spells.length).fill(SHADE_LEVELS),
  },
})

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
