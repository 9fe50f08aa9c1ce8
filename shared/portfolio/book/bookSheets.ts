/** Describes plans, correlations and attributions for every face. */
import type { Plan } from '#shared/contract/areas/book.ts'
import {
  column,
  type Section,
  type Sheet,
  type SheetChart,
  type SheetFigure,
  type SheetHeat,
  type SheetTable,
  table,
} from '#shared/sheet/sheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { type NumberKind, numberFormat } from '#shared/units/numberKinds.ts'
import { exactNumber, formatNumber, formatPercent } from '#shared/units/numbers.ts'
import { firstFew, plainPlural } from '#shared/units/plurals.ts'
import type { Attribution } from './attribution.ts'
import type { OrderRule, orderRuleNumbers } from './orderRules.ts'
import type { PlanReason, PlanRow } from './plan.ts'
import type { SeriesCorrelations, SeriesPair } from './seriesCorrelations.ts'

/** What a reason for no order says. */
const reasonTexts: Record<PlanReason, string> = {
  'no-price': 'no price',
  'inside-band': 'inside the band',
  'below-lot': 'less than a lot',
  'below-min-units': 'less than the least units',
  'below-min-order': 'less than the least order',
}

const NOTHING_SENT = 'Nothing is ever sent: these are trades for you to make elsewhere.'

const figure = (id: string, name: string, kind: NumberKind, value: number | null, formula: string): SheetFigure => ({
  ...{ id, name, kind, value, formula },
})

/** Longs and shorts that cancel out leave the rounding of their sum. */
const rounded = (net: number): number => (Math.abs(net) < 1e-12 ? 0 : net)

/** Builds the table of what was typed of the orders of symbols. */
export const orderRuleTable = (rules: readonly OrderRule[], empty = ''): SheetTable => {
  const exact = (key: (typeof orderRuleNumbers)[number], title: string) =>
    column<OrderRule>(key, title, 'volume', (rule) => rule[key], { format: (value) => exactNumber(Number(value)) })
  return table(
    { id: 'order-rules', title: 'Orders of a plan', empty },
    [
      column<OrderRule>('symbol', 'Symbol', 'text', ({ symbol }) => symbol),
      column<OrderRule>('ticker', 'Ticker', 'text', ({ ticker }) => ticker),
      exact('multiplier', 'Multiplier'),
      exact('lot', 'Lot'),
      exact('minUnits', 'Least units'),
      exact('minOrder', 'Least notional'),
    ],
    rules,
  )
}

export function planSheet(plan: Plan): Sheet {
  const { totals, asOf, pricesAsOf, capital, warnings } = plan
  const weightsText = asOf === null ? 'weights of a file' : `weights of ${asOf}`
  const pricesText = pricesAsOf === null ? 'prices of a file' : `prices of ${pricesAsOf}`
  const skipped = Object.entries(totals.skipped).map(([reason, count]) => {
    const symbols = plan.rows.filter((row) => row.reason === reason).map(({ symbol }) => symbol)
    return `${count} ${reasonTexts[reason as PlanReason]} (${firstFew(symbols, 3)})`
  })
  return {
    title: 'Plan of trades',
    subtitle: `${weightsText}, ${pricesText}, capital ${formatNumber(capital, 0)}`,
    verdict: `${plainPlural(totals.orders, 'order')} with a turnover of ${formatPercent(totals.turnover, 2)} %${totals.cost === null ? '; the cost is not known' : `, expected to cost ${formatNumber(totals.cost, 2)}`}${skipped.length > 0 ? `; not traded: ${skipped.join(', ')}` : ''}.`,
    sections: [
      { kind: 'text', id: 'notes', title: 'Notes', lines: [NOTHING_SENT, ...warnings.map(({ message }) => message)] },
      weightBars(plan.rows),
      {
        kind: 'figures',
        id: 'totals',
        title: 'Totals',
        figures: [
          figure('grossBefore', 'Gross before', 'share', totals.grossBefore, 'Sum of the absolute weights held now'),
          figure('grossTarget', 'Gross target', 'share', totals.grossTarget, 'Sum of the absolute targets'),
          figure(
            'grossAfter',
            'Gross after',
            'share',
            totals.grossAfter,
            'Sum of the absolute weights after the orders',
          ),
          figure('netBefore', 'Net before', 'share', rounded(totals.netBefore), 'Sum of the weights held now'),
          figure('netTarget', 'Net target', 'share', rounded(totals.netTarget), 'Sum of the targets'),
          figure('netAfter', 'Net after', 'share', rounded(totals.netAfter), 'Sum of the weights after the orders'),
          figure('turnover', 'Turnover', 'share', totals.turnover, 'Traded notional over twice the capital'),
          figure('cost', 'Cost', 'statistic', totals.cost, 'Expected cost of the orders; none if one is not known'),
        ],
      },
      tradeTable(plan.rows),
    ],
  }
}

/** Units and prices of different symbols have nothing in common: 0.2038 of one stands beside 152 054.76 of another. */
const ownDigits = (value: number | string): string => numberFormat('price')(Number(value))

function tradeTable(rows: readonly PlanRow[]): SheetTable {
  const cell = column<PlanRow>
  return table(
    { id: 'trades', title: 'Trades', empty: 'There is neither a target nor a position.' },
    [
      cell('symbol', 'Symbol', 'text', ({ symbol }) => symbol, { widthPx: 120 }),
      cell('ticker', 'Ticker', 'text', ({ ticker }) => ticker),
      cell('order', 'Order', 'volume', ({ order }) => order, {
        hint: 'Units to buy, or below 0 to sell',
        format: ownDigits,
      }),
      cell('notional', 'Notional', 'volume', ({ notional }) => notional),
      cell('weight', 'Before', 'share', ({ weight }) => weight),
      cell('target', 'Target', 'share', ({ target }) => target),
      cell('goal', 'Goal', 'share', ({ goal }) => goal, { hint: 'Weight that the order aims at' }),
      cell('after', 'After', 'share', ({ after }) => after),
      cell('price', 'Price', 'price', ({ price }) => price, { format: ownDigits }),
      cell('units', 'Units held', 'volume', ({ units }) => units, { format: ownDigits }),
      cell('cost', 'Cost', 'statistic', ({ cost }) => cost),
      cell('reason', 'Not traded', 'text', ({ reason }) => (reason === null ? null : reasonTexts[reason]), {
        widthPx: 170,
      }),
    ],
    rows,
  )
}

/** Symbols in the chart of weights, to keep it readable. */
const MOST_BARS = 30

function weightBars(rows: readonly PlanRow[]): SheetChart {
  const size = ({ weight, target, after }: PlanRow) =>
    Math.max(...[weight, target, after].map((each) => Math.abs(each ?? 0)))
  const shown = rows.toSorted((one, other) => size(other) - size(one)).slice(0, MOST_BARS)
  const series = (id: string, label: string, pick: (row: PlanRow) => number | null, colour: number) => ({
    ...{ id, label, kind: 'share' as const, valid: null, colour, style: 'bar' as const },
    x: Float64Array.from(shown, (_, at) => at),
    values: Float64Array.from(shown, (row) => pick(row) ?? NaN),
  })
  return {
    ...{ kind: 'chart', id: 'weights', style: 'bars' },
    title: rows.length > MOST_BARS ? `Weights: the ${MOST_BARS} largest` : 'Weights',
    names: shown.map(({ symbol }) => symbol),
    series: [
      series('before', 'Before', ({ weight }) => weight, 0),
      series('target', 'Target', ({ target }) => target, 1),
      series('after', 'After', ({ after }) => after, 2),
    ],
  }
}

export function correlationsSheet({ names, order, r, n, days }: SeriesCorrelations): Sheet {
  const shown = order.map((place) => names[place])
  const heat = (
    id: string,
    title: string,
    values: readonly (readonly (number | null)[])[],
    kind: NumberKind,
  ): SheetHeat => ({
    ...{ kind: 'heat', id, title, rowsTitle: 'Series', rows: shown, columns: shown, valueKind: kind },
    values: Float64Array.from(order.flatMap((row) => order.map((at) => values[row][at] ?? NaN))),
  })
  const pairs = r.flatMap((row, one) => row.slice(one + 1).flatMap((value) => (value === null ? [] : [value])))
  const mean = pairs.length === 0 ? null : pairs.reduce((sum, value) => sum + value, 0) / pairs.length
  return {
    title: 'Correlations',
    subtitle: `${plainPlural(names.length, 'series', 'series')}, ${plainPlural(days.length, 'day')}`,
    verdict:
      mean === null
        ? 'No pair has enough common days.'
        : `The mean correlation of ${plainPlural(pairs.length, 'pair')} is ${formatNumber(mean, 2)}.`,
    sections: [heat('r', 'Correlations of daily returns', r, 'figure'), countTable(shown, order, n)],
  }
}

/** Charts two series and how their correlation changes. */
export function pairSections({ names, days, returns, window, rolling }: SeriesPair): SheetChart[] {
  const x = timesOf(days)
  const chart = (id: string, title: string, series: SheetChart['series']): SheetChart => ({
    ...{ kind: 'chart', id, title, style: 'line', names: null, series },
  })
  const growth = names.map((name, at) => {
    let value = 1
    const values = Float64Array.from(returns[at], (each) => (value *= 1 + each) - 1)
    return { id: `${at}`, label: name, kind: 'share' as const, valid: null, x, values }
  })
  const correlation = Float64Array.from(rolling, (value) => value ?? NaN)
  return [
    chart('pair', `Return of ${names[0]} and ${names[1]} since ${days[0] ?? 'no common day'}`, growth),
    chart('rolling', `Their correlation over ${window} days`, [
      { id: 'rolling', label: 'Correlation', kind: 'figure', valid: null, x, values: correlation },
    ]),
  ]
}

function countTable(names: readonly string[], order: readonly number[], n: readonly (readonly number[])[]): SheetTable {
  const cell = column<number>
  return table(
    { id: 'n', title: 'Common days' },
    [
      cell('series', 'Series', 'text', (row) => names[row], { widthPx: 200 }),
      ...order.map((place, at) => cell(`n${at}`, names[at], 'count', (row) => n[order[row]][place], { isName: true })),
    ],
    names.map((_, row) => row),
  )
}

export function attributionSheet(name: string, found: Attribution): Sheet {
  const { n, lags, alpha, terms, r2, adjustedR2, residualVolatility, days, residual, rolling } = found
  const sections: Section[] = [
    {
      kind: 'figures',
      id: 'figures',
      title: 'Fit',
      figures: [
        figure('n', 'Days', 'count', n, 'Days that all series have'),
        figure('r2', 'R²', 'ratio', r2, 'Share of the variance that is explained'),
        figure('adjustedR2', 'Adjusted R²', 'ratio', adjustedR2, 'R², less what more series explain by luck'),
        figure('residualVolatility', 'Residual volatility', 'share', residualVolatility, 'Annual, of what is left'),
        figure('lags', 'Lags', 'count', lags, 'Lags of the Newey–West errors'),
      ],
    },
    termTable(found),
    residualChart(days, residual),
    ...(rolling ? [rollingChart(days, rolling)] : []),
  ]
  const strongest = terms.toSorted((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution))[0]
  return {
    title: `Attribution of ${name}`,
    subtitle: `on ${terms.map((term) => term.name).join(', ')}; ${days[0]} to ${days[days.length - 1]}`,
    verdict: `Of the mean annual return, ${strongest.name} contributes ${formatPercent(strongest.contribution, 2)} % and ${formatPercent(alpha.annual, 2)} % is left unexplained.`,
    sections,
  }
}

interface TermRow {
  name: string
  beta: number | null
  contribution: number
  se: number
  t: number | null
  p: number | null
}

function termTable({ alpha, terms }: Attribution): SheetTable {
  const cell = column<TermRow>
  const sum = terms.reduce((total, { contribution }) => total + contribution, alpha.annual)
  const rows: (TermRow | { name: string; contribution: number })[] = [
    { name: 'Alpha', beta: null, contribution: alpha.annual, se: alpha.se, t: alpha.t, p: alpha.p },
    ...terms,
    { name: 'Sum: mean return · 365', contribution: sum },
  ]
  return table(
    { id: 'terms', title: 'Contributions', note: 'Alpha and the contributions add up to the mean annual return' },
    [
      cell('name', 'Series', 'text', (row) => row.name, { widthPx: 220 }),
      cell('contribution', 'Contribution', 'share', (row) => row.contribution, { heat: { scale: 'diverging' } }),
      cell('beta', 'Beta', 'estimate', (row) => row.beta),
      cell('se', 'Standard error', 'estimate', (row) => row.se),
      cell('t', 't', 'figure', (row) => row.t),
      cell('p', 'p', 'probability', (row) => row.p),
    ],
    rows as TermRow[],
  )
}

const timesOf = (days: readonly string[]) => Float64Array.from(days, (day) => dayNumberOf(day) * MS_PER_DAY)

function residualChart(days: readonly string[], residual: readonly number[]): SheetChart {
  let sum = 0
  return {
    ...{ kind: 'chart', id: 'residual', title: 'What is left: sum of the residuals', style: 'line', names: null },
    series: [
      {
        ...{ id: 'residual', label: 'Residual', kind: 'share', valid: null },
        x: timesOf(days),
        values: Float64Array.from(residual, (value) => (sum += value)),
      },
    ],
  }
}

const rollingChart = (
  days: readonly string[],
  { days: window, terms }: NonNullable<Attribution['rolling']>,
): SheetChart => ({
  ...{ kind: 'chart', id: 'rolling', title: `Betas over ${window} days`, style: 'line', names: null },
  series: terms.map(({ name, beta }) => ({
    ...{ id: name, label: name, kind: 'statistic', valid: null },
    x: timesOf(days),
    values: Float64Array.from(beta, (value) => value ?? NaN),
  })),
})
