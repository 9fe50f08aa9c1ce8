import { type Section, type SheetChart, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import { barChart } from '../charts.ts'
import { figure, numberColumns, numbersOf, reasonName, summary, symbolAttrition, symbolColumn } from '../sections.ts'
import { testedCosts } from './fields.ts'

type CostResult = ResultOf<'costs'>
type SymbolCosts = CostResult['symbols'][number]
type Hour = SymbolCosts['byHour'][number]

export const leading = ['summary', 'curve']

/** Maximum number of symbols that are drawn; the tables have all. */
const MOST_DRAWN = 40

const bps = (value: number | null): string => `${numberText('bps', value) ?? '–'} bps`
const amount = (value: number): string => formatNumber(value, Number.isInteger(value) ? 0 : 2)
const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

const pointAt = ({ curve }: SymbolCosts, notional: number) => curve.find((point) => point.notional === notional)

function cheapestHour({ byHour }: SymbolCosts): Hour | null {
  return byHour.reduce<Hour | null>(
    (least, hour) => (least === null || (hour.median ?? Infinity) < (least.median ?? Infinity) ? hour : least),
    null,
  )
}

/** Says what a trade of the reference size costs, and how far the model is from what was measured. */
export function verdict({ study, symbols }: CostResult): string {
  const known = symbols.filter(({ attrition }) => attrition.used > 0)
  if (known.length === 0) return `No cell has a cost: ${mainReason(symbols)}.`
  if (symbols.length > 1) return verdictOfMany(known, symbols.length, study.reference)
  const [one] = known
  const point = pointAt(one, study.reference)
  const cheapest = cheapestHour(one)
  const size = `A trade of ${amount(study.reference)} costs ${bps(point?.median ?? null)} in the median (middle half ${numberText('bps', point?.q25 ?? null)} … ${bps(point?.q75 ?? null)})`
  const hour =
    cheapest && one.byHour.length > 1 ? `, least at ${hourText(cheapest.hour)} UTC (${bps(cheapest.median)})` : ''
  const judged = calibrationText(one)
  return `${size}${hour}${judged === '' ? '' : `; ${judged}`}.`
}

function calibrationText({ calibration }: SymbolCosts): string {
  if (calibration === null) return ''
  if (calibration.bias === null) return 'nothing was measured where the model has a cost'
  const { bias, meanAbsoluteError, n } = calibration
  const side =
    bias === 0
      ? 'is right on average'
      : `is ${bps(Math.abs(bias))} ${bias > 0 ? 'above' : 'below'} what was measured on average`
  return `the model ${side} (mean error ${bps(meanAbsoluteError)}, ${plural(n, 'cell')})`
}

function verdictOfMany(known: readonly SymbolCosts[], all: number, reference: number): string {
  const medians = known
    .map((one) => ({ symbol: one.symbol, median: pointAt(one, reference)?.median ?? NaN }))
    .sort((a, b) => a.median - b.median)
  const [cheapest, dearest] = [medians[0], medians[medians.length - 1]]
  const rest = all - known.length
  return `A trade of ${amount(reference)} costs between ${bps(cheapest.median)} (${cheapest.symbol}) and ${bps(dearest.median)} (${dearest.symbol}) in the median, of ${plural(known.length, 'symbol')}${rest > 0 ? `; ${plural(rest, 'more has', 'more have')} no cost` : ''}.`
}

/** The reason that most cells without a cost have. */
function mainReason(symbols: readonly SymbolCosts[]): string {
  const totals = (['notMember', 'noSpread', 'noImpact'] as const).map((reason) => ({
    reason,
    cells: symbols.reduce((sum, { attrition }) => sum + attrition[reason], 0),
  }))
  const { reason, cells } = totals.reduce((most, one) => (one.cells > most.cells ? one : most))
  const all = symbols.reduce((sum, { attrition }) => sum + attrition.cells, 0)
  return `${reasonName(reason).toLowerCase()} in ${formatNumber(cells, 0)} of ${plural(all, 'cell')}`
}

const choiceOf = (id: string, title: string, symbol: string, isSingle: boolean) =>
  isSingle ? {} : { choice: { group: id, title, label: 'Symbol', option: symbol } }

/** Bars with the median and, as whiskers, two quantiles. */
function quantileChart(
  head: { id: string; title: string; symbol: string; isSingle: boolean },
  names: readonly string[],
  points: readonly { median: number | null; q25: number | null; q75: number | null }[],
): SheetChart {
  const { id, title, symbol, isSingle } = head
  const chart = barChart(isSingle ? id : `${id}.${symbol}`, isSingle ? title : `${title}, ${symbol}`, names, {
    Median: points.map(({ median }) => median),
  })
  const interval = {
    low: numbersOf(points.map(({ q25 }) => q25)),
    high: numbersOf(points.map(({ q75 }) => q75)),
  }
  return {
    ...chart,
    series: chart.series.map((series) => ({ ...series, kind: 'bps', unit: 'bps', interval })),
    note: 'Median cost of a trade in basis points; whiskers: the middle half',
    ...choiceOf(id, title, symbol, isSingle),
  }
}

function charts(one: SymbolCosts, reference: number, isSingle: boolean): Section[] {
  if (one.attrition.used === 0) return []
  const { symbol, curve, byHour } = one
  return [
    quantileChart(
      { id: 'bySize', title: 'Cost by size', symbol, isSingle },
      curve.map(({ notional }) => amount(notional)),
      curve,
    ),
    quantileChart(
      { id: 'byHour', title: `Cost of ${amount(reference)} by hour (UTC)`, symbol, isSingle },
      byHour.map(({ hour }) => hourText(hour)),
      byHour,
    ),
  ]
}

const ofSymbols = <Row extends object>(
  symbols: readonly SymbolCosts[],
  pick: (one: SymbolCosts) => readonly Row[],
): (Row & { symbol: string })[] => symbols.flatMap((one) => pick(one).map((row) => ({ ...row, symbol: one.symbol })))

const quantileTitles = { q05: '5 %', q25: '25 %', median: 'Median', q75: '75 %', q95: '95 %' } as const

function curveTable(symbols: readonly SymbolCosts[]): SheetTable {
  const rows = ofSymbols(symbols, ({ curve }) => curve)
  const { q05: _, ...titles } = quantileTitles
  return table(
    { id: 'curve', title: 'Quantiles of the cost by size', note: 'In basis points of the traded amount' },
    [
      ...symbolColumn<(typeof rows)[number]>(symbols),
      ...numberColumns({ notional: 'Size' }, () => 'notional'),
      ...numberColumns({ n: 'n' }, () => 'count'),
      ...numberColumns({ mean: 'Mean', ...titles }, () => 'bps'),
    ],
    rows,
  )
}

function hourTable(symbols: readonly SymbolCosts[], reference: number): SheetTable {
  const rows = ofSymbols(symbols, ({ byHour }) => byHour)
  return table(
    {
      ...{ id: 'hours', title: `Quantiles of the cost of ${amount(reference)} by hour (UTC)` },
      note: 'In basis points of the traded amount',
    },
    [
      ...symbolColumn<(typeof rows)[number]>(symbols),
      ...numberColumns({ hour: 'Hour', n: 'n' }, () => 'count'),
      ...numberColumns(quantileTitles, () => 'bps'),
    ],
    rows,
  )
}

function calibrationTable(symbols: readonly SymbolCosts[]): SheetTable[] {
  const rows = ofSymbols(symbols, ({ calibration }) => (calibration ? [calibration] : []))
  if (rows.length === 0) return []
  return [
    table(
      {
        id: 'calibration',
        title: 'Model against measured',
        note: 'Modelled cost minus measured cost plus half the spread; the implied impact is what the measured costs say',
      },
      [
        ...symbolColumn<(typeof rows)[number]>(symbols),
        ...numberColumns({ n: 'n' }, () => 'count'),
        ...numberColumns({ bias: 'Bias', meanAbsoluteError: 'Mean error' }, () => 'bps'),
        ...numberColumns({ spearman: 'Rank correlation' }, () => 'ratio'),
        ...numberColumns({ impliedImpact: 'Implied impact', medianImpact: 'Median impact' }, () => 'statistic'),
      ],
      rows,
    ),
  ]
}

function figures(one: SymbolCosts, reference: number): Section {
  const point = pointAt(one, reference)
  const { calibration } = one
  const size = `of ${amount(reference)}`
  return {
    ...{ kind: 'figures', id: 'figures', title: 'Figures' },
    figures: [
      figure(
        'median',
        `Median cost ${size} (bps)`,
        'estimate',
        point?.median ?? null,
        'Half the spread plus impact times size, in basis points',
      ),
      figure(
        'q95',
        `95 % quantile ${size} (bps)`,
        'estimate',
        point?.q95 ?? null,
        '0.95 quantile of the cost, in basis points',
      ),
      ...(calibration
        ? [
            figure(
              'bias',
              'Bias (bps)',
              'estimate',
              calibration.bias,
              'Mean of the modelled cost minus the measured one, in basis points',
            ),
            figure(
              ...(['spearman', 'Rank correlation', 'estimate', calibration.spearman] as const),
              'Rank correlation of the modelled and the measured cost',
            ),
          ]
        : []),
      figure('used', 'Cells', 'count', one.attrition.used, 'Cells with a cost'),
    ],
  }
}

/** The costs of a tested portfolio that charge what the study models. */
const useInTest = ({ study }: CostResult): Section => ({
  kind: 'text',
  id: 'useInTest',
  title: 'Use in a test',
  lines: [
    'A tested portfolio pays these costs where its document has:',
    `"costs": ${JSON.stringify(testedCosts(study))}`,
  ],
})

export function sections(result: CostResult): Section[] {
  const { study, symbols } = result
  const { reference } = study
  const isSingle = symbols.length === 1
  return [
    summary('Cost of a trade: half the spread plus impact times size, in basis points; hours in UTC.'),
    ...(isSingle ? [figures(symbols[0], reference)] : []),
    ...symbols.slice(0, MOST_DRAWN).flatMap((one) => charts(one, reference, isSingle)),
    curveTable(symbols),
    hourTable(symbols, reference),
    ...calibrationTable(symbols),
    useInTest(result),
    symbolAttrition(symbols),
  ]
}
