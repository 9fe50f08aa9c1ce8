import { computed } from 'vue'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { dailySeriesOf, returnsWarnings, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { DEFAULT_ROLLING_WINDOW, rollingWindows } from '#shared/portfolio/rolling.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import type { Shading } from '#shared/workspace/workspace.ts'
import { tearSheetText } from '../../../text/portfolios.ts'
import {
  chosenPortfolio,
  noPortfolio,
  portfolioLabel,
  type PortfolioFields,
  type useVisibleDays,
} from '../addressFields.ts'
import { useHistories, useHistory, type HistoryQuery } from '../usePortfolioAnswer.ts'
import type { ChartedPortfolio } from './returnsChart.ts'

/** Defaults of the page's address. */
export const portfolioDefaults = {
  ...noPortfolio,
  /** Days, both inclusive; an empty text is an open end. */
  from: '',
  to: '',
  /** Ticker whose price is the benchmark. */
  benchmark: '',
  scale: 'linear',
  window: String(DEFAULT_ROLLING_WINDOW),
  /** Risk-free rate in % a year. */
  riskFree: '0',
  /** Portfolios to compare with, see `comparedFields`. */
  compare: '',
  /** Identifier of the regime or overlay behind the chart, and which of the two it is. */
  shade: '',
  shadeBy: 'regime',
}
export type PortfolioAddress = Record<keyof typeof portfolioDefaults, string>

export const MOST_COMPARED = 5

/** Parses portfolios written as `id~smoothing~venue`, with commas in between. */
export function comparedFields(text: string): PortfolioFields[] {
  const all = text.split(',').map((one) => {
    const [portfolio = '', smoothing = '', exchange = ''] = one.split('~')
    return { portfolio, smoothing, exchange }
  })
  return all.filter(({ portfolio }) => portfolio !== '').slice(0, MOST_COMPARED)
}

export const comparedText = (all: readonly PortfolioFields[]): string =>
  all.map(({ portfolio, smoothing, exchange }) => [portfolio, smoothing, exchange].join('~').replace(/~+$/, '')).join()

/** Builds the shading of the chart; null for none. */
export function shadingOf({ portfolio, shade, shadeBy }: PortfolioAddress): Shading | null {
  if (shade === '' || portfolio === '') return null
  return shadeBy === 'overlay' ? { kind: 'overlay', portfolio, overlay: shade } : { kind: 'regime', overlay: shade }
}

const windowOf = (text: string): number =>
  rollingWindows.find((window) => String(window) === text) ?? DEFAULT_ROLLING_WINDOW

/** Parses a rate in % into a fraction; null if the text is not a rate above −100 %. */
export function riskFreeOf(text: string): number | null {
  const percent = parseNumber(text.replace('%', ''))
  return percent === null || percent <= -100 || percent > 1000 ? null : percent / 100
}

interface NamedSeries {
  id: string
  label: string
  series: DailySeries
}

const returnsQuery = (fields: PortfolioFields): HistoryQuery | null => {
  const chosen = chosenPortfolio(fields)
  return chosen && { request: { endpoint: 'returns', ...chosen } }
}

/** Explains why a series has no tear sheet; null if it has one. */
function whyNoSheet({ valid, days }: DailySeries): string | null {
  if (days.length === 0) return tearSheetText.noDays
  return valid && !valid.includes(1) ? tearSheetText.noReturns : null
}

/** Loads the returns of the selected and the compared portfolios and of the benchmark, and computes their tear sheets. */
export function useReturns(address: () => PortfolioAddress, view: ReturnType<typeof useVisibleDays>) {
  // Every field has its own ref, so that its change recomputes only what depends on that field.
  const ticker = computed(() => address().benchmark)
  const riskFree = computed(() => riskFreeOf(address().riskFree) ?? 0)
  const rollingWindow = computed(() => windowOf(address().window))

  const returns = useHistory(() => returnsQuery(address()))
  const prices = useHistory(() => (ticker.value ? { request: { endpoint: 'prices', ticker: [ticker.value] } } : null))
  const others = useHistories(() => comparedFields(address().compare).flatMap((fields) => returnsQuery(fields) ?? []))

  const main = computed(() => returns.value.value && dailySeriesOf(returns.value.value.rows))
  const problems = computed(() => (main.value ? returnsWarnings(main.value.series, main.value.problems) : []))
  const emptyReason = computed(() => main.value && whyNoSheet(main.value.series))
  const benchmark = computed(() => {
    if (!prices.value.value || !ticker.value) return null
    const { series } = dailySeriesOf(prices.value.value.rows)
    return { label: ticker.value, prices: series, returns: returnsOfPrices(series) }
  })

  const all = computed((): NamedSeries[] => {
    if (!main.value || !returns.query.value) return []
    const compared = others.list.value.flatMap(({ query, answer }) =>
      answer ? [namedSeries(query, dailySeriesOf(answer.rows).series)] : [],
    )
    return [namedSeries(returns.query.value, main.value.series), ...compared]
  })
  const options = computed(() => ({
    riskFree: riskFree.value,
    rollingWindow: rollingWindow.value,
    ...(benchmark.value && { benchmark: benchmark.value.returns }),
  }))
  const whole = computed(() => all.value.map((one) => ({ ...one, sheet: tearSheet(one.series, options.value) })))
  const portfolios = computed((): ChartedPortfolio[] =>
    whole.value.map(({ id, label, series, sheet }) => {
      const { startDay, endDay } = view
      const inView = view.isWhole.value
        ? sheet
        : tearSheet(series, { ...options.value, startDay: startDay.value, endDay: endDay.value })
      return { id, label, whole: sheet, inView }
    }),
  )
  const failures = computed(() =>
    others.list.value.flatMap(({ query, error }) => (error ? [{ label: labelOf(query), error }] : [])),
  )
  return { returns, prices, problems, emptyReason, benchmark, portfolios, failures, others }
}

const labelOf = ({ request }: HistoryQuery): string => (request.endpoint === 'returns' ? portfolioLabel(request) : '')

const namedSeries = (query: HistoryQuery, series: DailySeries): NamedSeries => ({
  id: JSON.stringify(query.request),
  label: labelOf(query),
  series,
})
