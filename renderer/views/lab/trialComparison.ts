import type { StudyAnswer } from '#shared/contract/areas/lab.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { studySheet } from '#shared/lab/studySheet.ts'
import {
  drawdownsOf,
  equityOf,
  figures as describedFigures,
  figureValues,
  returnsView,
} from '#shared/portfolio/figures.ts'
import { figureOf } from '#shared/portfolio/tearSheetSections.ts'
import { figureText, figureTitle, type SheetFigure } from '#shared/sheet/sheet.ts'
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
export function figureRows(answers: readonly StudyAnswer[]): string[][] {
  const figures = answers.map(({ result }) => [
    ...(isDaily(result) ? dailyFigures(result) : []),
    ...studySheet(result).sections.flatMap((section) => (section.kind === 'figures' ? section.figures : [])),
  ])
  return figures[0].map((first) => {
    const same = figures.map((each) => each.find(({ id, name }) => id === first.id && name === first.name))
    return [figureTitle(first), ...same.map((figure, at) => valueText(figure, at === 0 ? null : first))]
  })
}

/** Figures of a tear sheet over the days of a test, after costs. */
function dailyFigures(result: DailyResult): SheetFigure[] {
  const { riskFree = 0 } = result.study as { riskFree?: number }
  const values = figureValues(returnsView(netReturns(result), { riskFree }))
  return describedFigures.map((figure) => figureOf(figure, values))
}

function valueText(figure: SheetFigure | undefined, first: SheetFigure | null): string {
  if (!figure) return '–'
  const own = figureText(figure) ?? '–'
  if (!first || figure.value === null || first.value === null) return own
  const change = figure.value - first.value
  const changed = figureText({ ...figure, value: change })
  return changed === null || change === 0 ? own : `${own} (${change > 0 ? '+' : ''}${changed})`
}
