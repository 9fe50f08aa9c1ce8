/** Loads the returns of the selected and compared portfolios and of the benchmark, and computes their tear sheets. */
import { computed } from 'vue'
import type { OwnReturnsAnswer } from '#shared/contract/areas/returns.ts'
import { levelsOfReturns, returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { dailySeriesOf, returnsWarnings, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { type TearSheet, tearSheet, DEFAULT_ROLLING_WINDOW, rollingWindows } from '#shared/portfolio/tearSheet.ts'
import type { ChartedPortfolio } from '#shared/portfolio/tearSheetSections.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import type { Shading } from '#shared/workspace/workspaceSchema.ts'
import { ownReturnsText, tearSheetText } from '../../../text/portfolios.ts'
import {
  chosenPortfolio,
  noPortfolio,
  ownIdOf,
  portfolioLabel,
  testedIdOf,
  type PortfolioFields,
  type useVisibleDays,
} from '../addressFields.ts'
import { ownAnswerState, useOwnAnswers } from '../own/useOwnAnswers.ts'
import { useTestedAnswers } from '../own/useTestedAnswers.ts'
import { type AnswerState, type HistoryQuery, useHistories, useHistory } from '../usePortfolioAnswer.ts'

/** Defaults of the page's address. */
export const portfolioDefaults = {
  ...noPortfolio,
  /** Days, both inclusive; empty means open. */
  from: '',
  to: '',
  /** Ticker whose price is the benchmark. */
  benchmark: '',
  /** `volatility` to draw the benchmark at the volatility of the portfolio. */
  match: '',
  scale: 'linear',
  window: String(DEFAULT_ROLLING_WINDOW),
  /** Annual risk-free rate in %. */
  riskFree: '0',
  /** Portfolios to compare with, see `comparedFields`. */
  compare: '',
  /** Id of the regime or overlay that shades the chart; `shadeBy` says which of the two it is. */
  shade: '',
  shadeBy: 'regime',
}
type PortfolioAddress = Record<keyof typeof portfolioDefaults, string>

export const MOST_COMPARED_PORTFOLIOS = 5

/** Parses portfolios written as `id~smoothing~venue`, separated by commas. */
export function comparedFields(text: string): PortfolioFields[] {
  const all = text.split(',').map((each) => {
    const [portfolio = '', smoothing = '', exchange = ''] = each.split('~')
    return { portfolio, smoothing, exchange }
  })
  return all.filter(({ portfolio }) => portfolio !== '').slice(0, MOST_COMPARED_PORTFOLIOS)
}

export const comparedText = (all: readonly PortfolioFields[]): string =>
  all.map(({ portfolio, smoothing, exchange }) => [portfolio, smoothing, exchange].join('~').replace(/~+$/, '')).join()

/**
 * Builds the shading of the chart; null if nothing is selected, and for an overlay on a user's own file or on a tested
 * portfolio.
 */
export function shadingOf({ portfolio, shade, shadeBy }: PortfolioAddress): Shading | null {
  if (shade === '' || portfolio === '') return null
  // An overlay exists only for a portfolio of the service.
  if (shadeBy === 'overlay' && (ownIdOf(portfolio) !== null || testedIdOf(portfolio) !== null)) return null
  return shadeBy === 'overlay' ? { kind: 'overlay', portfolio, overlay: shade } : { kind: 'regime', overlay: shade }
}

const windowOf = (text: string): number =>
  rollingWindows.find((window) => String(window) === text) ?? DEFAULT_ROLLING_WINDOW

/** Parses a rate in % to a fraction; null if the text is not a rate above −100 % and at most 1000 %. */
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

/** Returns why a series has no tear sheet; null if it has one. */
function noSheetReason({ valid, days }: DailySeries): string | null {
  if (days.length === 0) return tearSheetText.noDays
  return valid && !valid.includes(1) ? tearSheetText.noReturns : null
}

/** Series of the selected portfolio, and messages about what was wrong with its rows. */
interface MainSeries extends NamedSeries {
  problems: readonly string[]
}

export function useReturns(address: () => PortfolioAddress, view: ReturnType<typeof useVisibleDays>) {
  // The fields have separate refs, so that a change recomputes only what depends on it.
  const riskFree = computed(() => riskFreeOf(address().riskFree) ?? 0)
  const rollingWindow = computed(() => windowOf(address().window))
  const { returns, main, compared, own, otherHistories, failures, testedName } = useReturnSeries(address)
  const emptyReason = computed(() => main.value && noSheetReason(main.value.series))
  const { prices, benchmark } = useBenchmark(address, () => own.main.value)

  const options = computed(() => ({
    riskFree: riskFree.value,
    rollingWindow: rollingWindow.value,
    today: Math.floor(Date.now() / MS_PER_DAY),
    ...(benchmark.value && { benchmark: benchmark.value.returns }),
  }))
  const allSeries = computed(() => (main.value ? [main.value, ...compared.value] : []))
  /** Sheets by series, so that one more portfolio to compare with computes only its own. */
  const sheets = new WeakMap<DailySeries, { with: object; sheet: TearSheet }>()
  function wholeSheet(series: DailySeries): TearSheet {
    const kept = sheets.get(series)
    if (kept?.with === options.value) return kept.sheet
    const sheet = tearSheet(series, options.value)
    sheets.set(series, { with: options.value, sheet })
    return sheet
  }
  const wholeSheets = computed(() => allSeries.value.map((each) => ({ ...each, sheet: wholeSheet(each.series) })))
  const portfolios = computed((): ChartedPortfolio[] =>
    wholeSheets.value.map(({ id, label, series, sheet }) => {
      const { startDay, endDay } = view
      const inView = view.isAllDays.value
        ? sheet
        : tearSheet(series, { ...options.value, startDay: startDay.value, endDay: endDay.value })
      return { id, label, whole: sheet, inView }
    }),
  )
  const problems = computed(() => main.value?.problems ?? [])
  return { returns, prices, problems, emptyReason, benchmark, portfolios, failures, otherHistories, own, testedName }
}

/**
 * Loads the returns of the selected and compared portfolios, from the service, the user's files and tests in the Lab.
 */
function useReturnSeries(address: () => PortfolioAddress) {
  const comparedPortfolios = computed(() => comparedFields(address().compare))
  const mainFileId = computed(() => ownIdOf(address().portfolio))
  const served = useHistory(() => returnsQuery(address()))
  const otherHistories = useHistories(() => comparedPortfolios.value.flatMap((each) => returnsQuery(each) ?? []))
  const files = useOwnAnswers(() =>
    [address(), ...comparedPortfolios.value]
      .flatMap(({ portfolio }) => ownIdOf(portfolio) ?? [])
      .filter(isFirstOccurrence),
  )
  const tested = useTestedAnswers(() =>
    comparedPortfolios.value.flatMap(({ portfolio }) => testedIdOf(portfolio) ?? []),
  )
  const testSeries = (id: string): NamedSeries | null => {
    const outcome = tested.find(id)
    return outcome?.series ? { id: `tested ${id}`, label: outcome.name, series: outcome.series } : null
  }
  const fileSeries = (id: string): NamedSeries | null => {
    const answer = files.list.value.find((each) => each.id === id)?.answer
    return answer ? ownSeries(answer) : null
  }

  const main = computed((): MainSeries | null => {
    if (mainFileId.value !== null) {
      const series = fileSeries(mainFileId.value)
      return series && { ...series, problems: [] }
    }
    if (!served.value.value || !served.query.value) return null
    const { series, problems } = dailySeriesOf(served.value.value.rows)
    return { ...namedSeries(served.query.value, series), problems: returnsWarnings(series, problems) }
  })
  /** Series by the rows of an answer, because each change of what is compared asks for all of them. */
  const seriesByRows = new WeakMap<object, DailySeries>()
  function seriesOfRows(rows: Parameters<typeof dailySeriesOf>[0]): DailySeries {
    const series = seriesByRows.get(rows) ?? dailySeriesOf(rows).series
    seriesByRows.set(rows, series)
    return series
  }
  const compared = computed(() =>
    comparedPortfolios.value.flatMap((each): NamedSeries[] => {
      const id = ownIdOf(each.portfolio)
      if (id !== null) return [fileSeries(id) ?? []].flat()
      const testId = testedIdOf(each.portfolio)
      if (testId !== null) return [testSeries(testId) ?? []].flat()
      const key = JSON.stringify(returnsQuery(each))
      const outcome = otherHistories.list.value.find(({ query }) => JSON.stringify(query) === key)
      return outcome?.answer ? [namedSeries(outcome.query, seriesOfRows(outcome.answer.rows))] : []
    }),
  )
  const failures = computed(() => [
    ...otherHistories.list.value.flatMap(({ query, error }) => (error ? [{ label: labelOf(query), error }] : [])),
    ...(tested.all.value ?? []).flatMap(({ name, error }) => (error ? [{ label: name, error }] : [])),
    ...files.list.value.flatMap(({ id, error }) => (error && id !== mainFileId.value ? [{ label: id, error }] : [])),
  ])
  const ownState = ownAnswerState(files, () => mainFileId.value)
  const returns = computed((): AnswerState => (mainFileId.value === null ? served : ownState))
  const own = {
    answers: computed(() => files.list.value.flatMap(({ answer }) => answer ?? [])),
    main: computed(() => files.list.value.find(({ id }) => id === mainFileId.value)?.answer ?? null),
  }
  const testedName = (id: string) => tested.find(id)?.name ?? null
  return { returns, main, compared, own, otherHistories, failures, testedName }
}

const isFirstOccurrence = (each: string, at: number, all: readonly string[]) => all.indexOf(each) === at

/** Loads the prices of the benchmark; if none is set, a file of returns may contain one. */
function useBenchmark(address: () => PortfolioAddress, ownMain: () => OwnReturnsAnswer | null) {
  const ticker = computed(() => address().benchmark)
  const prices = useHistory(() => (ticker.value ? { request: { endpoint: 'prices', ticker: [ticker.value] } } : null))
  const benchmark = computed(() => {
    if (ticker.value) {
      if (!prices.value.value) return null
      const { series } = dailySeriesOf(prices.value.value.rows)
      return { label: ticker.value, prices: series, returns: returnsOfPrices(series) }
    }
    const own = ownMain()
    if (!own?.shown?.benchmark) return null
    const { series } = dailySeriesOf(own.shown.benchmark)
    return { label: ownReturnsText.benchmark(own.name), prices: levelsOfReturns(series), returns: series }
  })
  return { prices, benchmark }
}

const ownSeries = ({ id, name, shown }: OwnReturnsAnswer): NamedSeries | null =>
  shown && { id: `own ${id}`, label: name, series: dailySeriesOf(shown.returns).series }

const labelOf = ({ request }: HistoryQuery): string => (request.endpoint === 'returns' ? portfolioLabel(request) : '')

const namedSeries = (query: HistoryQuery, series: DailySeries): NamedSeries => ({
  id: JSON.stringify(query.request),
  label: labelOf(query),
  series,
})
