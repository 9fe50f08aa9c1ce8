import { figures, type FigureValues } from '#shared/portfolio/figures.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { figureOf, returnsCharts } from '#shared/portfolio/tearSheetSections.ts'
import { column, type Section, type Sheet, type SheetHeat, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { figureKind, shownFigure } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { timeChart } from '../charts.ts'
import { figure, numbersOf, summary } from '../sections.ts'
import { shapes, sourceName } from './fields.ts'
import type { BlendResult } from './run.ts'

export const leading = ['summary', 'figures', 'components', 'lastWeights']

const componentNames = ({ study }: BlendResult): string[] => {
  const names = study.components.map(({ from }) => sourceName(from))
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`))
}

const netSeries = ({ days, net }: BlendResult) => ({
  days: Int32Array.from(days.slice(1), dayNumberOf),
  values: numbersOf(net.slice(1)),
  valid: null,
})

const textOf = (id: string, values: FigureValues | null): string => {
  const found = figures.find((each) => each.id === id)
  const { text, unit } = shownFigure(figureKind(found?.unit ?? 'ratio'), values?.[id] ?? null)
  return text === null ? 'no value' : `${text}${unit ? ` ${unit}` : ''}`
}

/** What the blend earned, in one sentence. */
export function verdict({ figures: { net }, study }: BlendResult): string {
  const parts = plainPlural(study.components.length, 'component')
  if (!net) return `The blend of ${parts} has one day of weights and no return yet.`
  return `Net of costs, the blend of ${parts} has a Sharpe ratio of ${textOf('sharpe', net)} and a total return of ${textOf('totalReturn', net)} over ${plainPlural(net.days ?? 0, 'day')}.`
}

export function sections(result: BlendResult): Section[] {
  const { figures: values, turnover, coverage, attrition } = result
  return [
    summary(
      'Net is after the cost of trading. A component adds what the blend loses without it: compare the figures without it with those of the whole.',
    ),
    {
      kind: 'figures',
      id: 'figures',
      title: 'Figures, net',
      figures: [
        ...figures.map((each) => figureOf(each, values.net ?? {})),
        figure('turnover', 'Turnover', 'share', turnover, 'Mean one-way turnover of the days that have a return'),
        figure('coverage', 'Coverage', 'share', coverage, 'Share of the held gross weight that has prices'),
      ],
    },
    ...returnCharts(result),
    componentTable(result),
    ...correlationSections(result),
    lastWeights(result),
    table(
      { id: 'attrition', title: 'Attrition' },
      [
        column<readonly [string, number]>('reason', 'Reason', 'text', ([reason]) => reason, { widthPx: 420 }),
        column<readonly [string, number]>('count', 'Count', 'count', ([, count]) => count),
      ],
      [
        ['Member days: members on days with weights of their own', attrition.memberDays],
        ['Without a value of any component', attrition.noValue],
        ['With a value, but no volatility above 0', attrition.noVolatility],
        ['Held without both prices, by day and ticker', attrition.noPrice],
      ],
    ),
  ]
}

interface ComponentRow {
  name: string
  weight: number
  shape: string
  without: FigureValues | null
  correlation: number | null
}

function componentTable(result: BlendResult): SheetTable {
  const { study, without, figures: whole } = result
  const cell = column<ComponentRow>
  const names = componentNames(result)
  const rows = study.components.map(({ weight, shape }, at): ComponentRow => {
    const rest = without?.find(({ component }) => component === at)
    return {
      name: names[at],
      weight,
      shape: shapes[shape],
      without: rest?.figures.net ?? null,
      correlation: rest?.correlation ?? null,
    }
  })
  const adds = (id: string) => (row: ComponentRow) => {
    const [all, rest] = [whole.net?.[id] ?? null, row.without?.[id] ?? null]
    return all === null || rest === null ? null : all - rest
  }
  return table(
    {
      id: 'components',
      title: 'Components, and what each adds',
      note: 'Figures of the blend without the component; what it adds is the whole minus these',
    },
    [
      cell('component', 'Component', 'text', ({ name }) => name, { widthPx: 240 }),
      cell('weight', 'Weight', 'statistic', ({ weight }) => weight),
      cell('shape', 'Shape', 'text', ({ shape }) => shape),
      cell('sharpeWithout', 'Sharpe without', 'ratio', ({ without: rest }) => rest?.sharpe),
      cell('sharpeAdded', 'Sharpe added', 'ratio', adds('sharpe'), { heat: { scale: 'diverging' } }),
      cell('returnWithout', 'Return without', 'share', ({ without: rest }) => rest?.totalReturn),
      cell('drawdownWithout', 'Drawdown without', 'share', ({ without: rest }) => rest?.maxDrawdown),
      cell('correlation', 'Correlation with the whole', 'ratio', ({ correlation }) => correlation),
    ],
    rows,
  )
}

function correlationSections(result: BlendResult): Section[] {
  const { without, componentCorrelations } = result
  if (!without) return []
  const names = componentNames(result)
  const heat: SheetHeat = {
    kind: 'heat',
    id: 'correlations',
    title: 'Correlations of the components',
    note: 'Of the daily returns of each component’s shaped weights, before costs',
    rowsTitle: 'Component',
    rows: names,
    columns: names,
    values: numbersOf(componentCorrelations.flat()),
    valueKind: 'figure',
  }
  const longest = without.reduce((found, each) =>
    each.rolling90.days.length > found.rolling90.days.length ? each : found,
  ).rolling90.days
  if (!without.some(({ rolling90 }) => rolling90.values.some((value) => value !== null))) return [heat]
  const lines = Object.fromEntries(
    without.map(({ component, rolling90 }) => {
      const byDay = new Map(rolling90.days.map((day, at) => [day, rolling90.values[at]]))
      return [`without ${names[component]}`, longest.map((day) => byDay.get(day) ?? null)]
    }),
  )
  const times = longest.map((day) => dayNumberOf(day) * MS_PER_DAY)
  return [heat, timeChart('rolling90', 'Correlation with the whole over 90 days', times, lines)]
}

function returnCharts(result: BlendResult): Section[] {
  if (result.days.length < 2) return []
  const sheet = tearSheet(netSeries(result), { riskFree: 0 })
  const whole = { id: 'blend', label: 'Blend, net', whole: sheet, inView: sheet }
  return returnsCharts({ portfolios: [whole], benchmark: null })
}

function lastWeights({ days, tickers, weights }: BlendResult): SheetTable {
  const last = weights.at(-1) ?? []
  const rows = tickers
    .map((ticker, at) => ({ ticker, weight: last[at] ?? null }))
    .filter(({ weight }) => weight !== null && weight !== 0)
    .sort((one, other) => Math.abs(other.weight ?? 0) - Math.abs(one.weight ?? 0))
  const cell = column<(typeof rows)[number]>
  return table(
    { id: 'lastWeights', title: `Weights on ${days.at(-1) ?? 'no day'}`, empty: 'No weight is held.' },
    [
      cell('ticker', 'Ticker', 'text', ({ ticker }) => ticker),
      cell('weight', 'Weight', 'share', ({ weight }) => weight),
    ],
    rows,
  )
}

/** Describes a blend for every face. */
export function blendSheet(result: BlendResult): Sheet {
  const { study, data, days, tickers } = result
  return {
    title: `Blend${study.name ? `: ${study.name}` : ''}`,
    subtitle: `${plainPlural(study.components.length, 'component')}, ${plainPlural(tickers.length, 'ticker')}, ${plainPlural(data.times, 'day')}, ${days[0]} to ${days[days.length - 1]}`,
    verdict: verdict(result),
    sections: sections(result),
  }
}
