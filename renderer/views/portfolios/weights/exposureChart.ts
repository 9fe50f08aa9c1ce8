import type { NumberColumn } from '#shared/contract/frame.ts'
import { exposureFigures } from '#shared/portfolio/exposure.ts'
import type { WeightFigures } from '#shared/portfolio/weightsHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { emptyModel, type ChartModel, type ChartSeries } from '../../../charts/model.ts'

/** Groups of statistics that share a pane. */
const panes: readonly { id: string; title: string; figures: readonly string[] }[] = [
  { id: 'exposure', title: 'Exposure', figures: ['gross', 'net', 'long', 'short'] },
  { id: 'names', title: 'Names', figures: ['names', 'effectiveNames'] },
  { id: 'concentration', title: 'Concentration', figures: ['topFive', 'herfindahl'] },
]

/** Builds the chart of exposure, number of names, concentration and turnover by day. */
export function exposureChart({ days, exposure, turnover }: WeightFigures): ChartModel {
  const times = Float64Array.from(days, (day) => day * MS_PER_DAY)
  const series = (id: string, label: string, kind: NumberKind, column: NumberColumn, colour: number): ChartSeries => {
    const look = { style: 'line', axis: 'auto', transform: 'none', stepMs: MS_PER_DAY } as const
    const unit = kind === 'share' ? '%' : kind === 'fraction' ? 'of 1' : ''
    return { id, label, kind, unit, colour, times, values: column.values, valid: column.valid, ...look }
  }
  const ofFigures = panes.map(({ id, title, figures }) => ({
    id,
    title,
    scale: 'linear' as const,
    series: exposureFigures
      .filter((figure) => figures.includes(figure.id))
      .map((figure, colour) => series(figure.id, figure.name, figure.unit, exposure[figure.id], colour)),
  }))
  const twoWay = series('turnover', 'Two-way', 'share', turnover, 0)
  return {
    ...emptyModel('Exposure and turnover'),
    panes: [...ofFigures, { id: 'turnover', title: 'Turnover', scale: 'linear', series: [twoWay] }],
  }
}
