import type { NumberColumn } from '#shared/contract/frame.ts'
import { type DailySeries, presentDays } from '#shared/portfolio/dailySeries.ts'
import { drawdownsOf, equityOf } from '#shared/portfolio/returnsView.ts'
import type { ExplainedReturns } from '#shared/portfolio/explainReturns.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../../charts/model.ts'

interface Look {
  kind: NumberKind
  unit: string
  colour: number
  style?: ChartSeries['style']
}

/** Returns and weights are rounded: less than this explains itself. */
const NOISE_BPS = 0.1

const timesOf = (days: Int32Array) => Float64Array.from(days, (day) => day * MS_PER_DAY)

function daily(
  label: string,
  days: Int32Array,
  cells: Pick<NumberColumn, 'values' | 'valid'>,
  look: Look,
): ChartSeries {
  const { kind, unit, colour, style = 'line' } = look
  const place = { axis: 'left', transform: 'none', stepMs: MS_PER_DAY } as const
  return { id: label, label, kind, unit, colour, style, times: timesOf(days), ...cells, ...place }
}

const pane = (id: string, title: string, series: ChartSeries[]): Pane => ({ id, title, series, scale: 'linear' })

/** Computes the value of 1 on the days with a return, from the first to the last of `days`. */
function equitySeries(
  label: string,
  series: DailySeries,
  range: readonly [number, number],
  colour: number,
): ChartSeries {
  const { days, values } = presentDays(series, range[0], range[1])
  return daily(label, days, { values: equityOf(values), valid: null }, { kind: 'ratio', unit: '', colour })
}

/** Builds the chart of served and explained equity over the same days, the residual of each day, and the cost. */
export function explainChart(explained: ExplainedReturns, served: DailySeries): ChartModel {
  const { days, residual, cost } = explained
  const whole = { days, values: explained.explained.values, valid: explained.explained.valid }
  const there = presentDays(whole).days
  const range = [there.at(0) ?? 0, (there.at(-1) ?? -1) + 1] as const
  const bps = ({ values, valid }: NumberColumn) => ({ values: values.map((value) => value * 1e4), valid })
  const inBps = { kind: 'bps', unit: 'bps', style: 'bar' } as const
  return {
    ...emptyModel('Explained returns'),
    panes: [
      pane('equity', 'Equity since the first explained day', [
        equitySeries('Served', served, range, 0),
        equitySeries('Explained', whole, range, 1),
      ]),
      {
        ...pane('residual', 'Residual: served minus explained', [
          daily('Residual', days, bps(residual), { ...inBps, colour: 2 }),
        ]),
        leastReach: NOISE_BPS,
      },
      pane('cost', 'Cost of turnover', [daily('Cost', days, bps(cost), { ...inBps, colour: 3 })]),
    ],
  }
}

/** Returns without and with an overlay, and the overlay itself. */
export function overlayChart(plain: DailySeries, scaled: DailySeries, overlay: DailySeries): ChartModel {
  const { days } = presentDays(scaled)
  const range = [days.at(0) ?? 0, (days.at(-1) ?? -1) + 1] as const
  const underwater = (label: string, series: DailySeries, colour: number) => {
    const there = presentDays(series, range[0], range[1])
    const values = drawdownsOf(equityOf(there.values))
    return daily(label, there.days, { values, valid: null }, { kind: 'share', unit: '%', colour, style: 'area' })
  }
  const look = { kind: 'ratio', unit: '', colour: 2, style: 'step' } as const
  return {
    ...emptyModel('Overlay'),
    panes: [
      pane('equity', 'Equity since the first day with overlay', [
        equitySeries('Without overlay', plain, range, 0),
        equitySeries('With overlay', scaled, range, 1),
      ]),
      pane('underwater', 'Underwater', [
        underwater('Without overlay', plain, 0),
        underwater('With overlay', scaled, 1),
      ]),
      pane('overlay', 'Overlay', [
        daily('Overlay', overlay.days, { values: overlay.values, valid: overlay.valid }, look),
      ]),
    ],
  }
}
