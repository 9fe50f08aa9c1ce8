import type { StudyAnswer } from '#shared/contract/areas/lab.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { figuresSideBySide, figureTexts } from '#shared/lab/figureDifferences.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { drawdownsOf, equityOf } from '#shared/portfolio/figures.ts'
import { dailyChartSeries, dailyPane } from '../../cards/dailyData.ts'
import { type ChartModel, emptyModel } from '../../charts/model.ts'
import { labText } from '../../text/lab.ts'

const { trials: text } = labText

type DailyResult = Extract<LabResult, { kind: 'portfolio' | 'blend' }>
const isDaily = (result: LabResult): result is DailyResult => result.kind === 'portfolio' || result.kind === 'blend'

/** Equity and losses of trials over each other; null for studies without returns by day. */
export function equityModel(answers: readonly StudyAnswer[]): ChartModel | null {
  const lines = answers.flatMap(({ trial, result }) =>
    isDaily(result) && result.days.length > 0 ? [{ trial, series: netReturns(result) }] : [],
  )
  if (lines.length === 0) return null
  const seriesOf = (curveOf: (returns: Float64Array) => Float64Array, kind: 'ratio' | 'share') =>
    lines.map(({ trial, series: { days, values } }) =>
      dailyChartSeries(
        text.trial(trial),
        { days, values: curveOf(values), valid: null },
        { kind, colour: colourOf(trial) },
      ),
    )
  return {
    ...emptyModel(text.equity),
    panes: [
      dailyPane('equity', text.equity, seriesOf(equityOf, 'ratio')),
      dailyPane(
        'underwater',
        text.underwater,
        seriesOf((values) => drawdownsOf(equityOf(values)), 'share'),
      ),
    ],
  }
}

/** A trial keeps its colour, whatever it is compared with. */
const colourOf = (trial: number): number => trial - 1

/** Figures of trials, a row each; every value but the first has its difference to the first behind it. */
export const figureRows = (answers: readonly StudyAnswer[]): string[][] =>
  figuresSideBySide(answers.map(({ result }) => result)).map((row) => [row.name, ...figureTexts(row)])
