import { computed } from 'vue'
import { dailySeriesOf, problemWords, rowsWhere, type DailySeries } from '#shared/portfolio/dailySeries.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { chosenPortfolio, portfolioWords, type PortfolioFields } from '../portfolioFields.ts'
import type { useDaysInView } from '../useDaysInView.ts'
import { useHistories } from '../useHistories.ts'
import { useHistory, type HistoryWish } from '../usePortfolioAnswer.ts'
import { comparedFields, riskFreeOf, windowOf, type PortfolioAddress } from './portfolioAddress.ts'
import type { ChartedPortfolio } from './returnsChart.ts'

interface NamedSeries {
  id: string
  label: string
  series: DailySeries
}

const wishOf = (fields: PortfolioFields): HistoryWish | null => {
  const chosen = chosenPortfolio(fields)
  return chosen && { request: { endpoint: 'returns', ...chosen } }
}

/** Explains why a series has no tear sheet. */
function whyNone({ valid, days }: DailySeries): string | null {
  if (days.length === 0) return 'The service has no day of this portfolio.'
  return valid && !valid.includes(1) ? 'Every day of this portfolio is without a return.' : null
}

/** A loss of more than everything: equity turns its sign, and no figure made of it means anything. */
function impossibleWords({ days, values, valid }: DailySeries): string[] {
  const rows = rowsWhere(days.length, (row) => (!valid || valid[row] === 1) && values[row] < -1)
  if (rows.length === 0) return []
  const first = dayFromNumber(days[rows[0]])
  return [
    `${rows.length === 1 ? 'one is' : `${rows.length} are`} below −100 % (${rows.length === 1 ? 'on' : 'first on'} ${first}): equity and what is made of it mean nothing from there on`,
  ]
}

/** The returns of the chosen portfolio, of those beside it and of the benchmark, and what follows from them. */
export function useReturns(address: () => PortfolioAddress, view: ReturnType<typeof useDaysInView>) {
  // One field each: what another field changes leaves all that follows from these as it is.
  const ticker = computed(() => address().benchmark)
  const riskFree = computed(() => riskFreeOf(address().riskFree) ?? 0)
  const rollingWindow = computed(() => windowOf(address().window))

  const returns = useHistory(() => wishOf(address()))
  const prices = useHistory(() => (ticker.value ? { request: { endpoint: 'prices', ticker: [ticker.value] } } : null))
  const others = useHistories(() => comparedFields(address().compare).flatMap((fields) => wishOf(fields) ?? []))

  const main = computed(() => returns.value.value && dailySeriesOf(returns.value.value.rows))
  const problems = computed(() =>
    main.value ? [...problemWords(main.value.problems), ...impossibleWords(main.value.series)] : [],
  )
  const nothing = computed(() => main.value && whyNone(main.value.series))
  const benchmark = computed(() => {
    if (!prices.value.value || !ticker.value) return null
    const { series } = dailySeriesOf(prices.value.value.rows)
    return { label: ticker.value, prices: series, returns: returnsOfPrices(series) }
  })

  const all = computed((): NamedSeries[] => {
    const request = returns.wish.value?.request
    if (!main.value || request?.endpoint !== 'returns') return []
    const beside = others.list.value.flatMap(({ wish, answer }) => {
      if (!answer || wish.request.endpoint !== 'returns') return []
      return [named(wish, dailySeriesOf(answer.rows).series)]
    })
    return [named(returns.wish.value!, main.value.series), ...beside]
  })
  const shared = computed(() => ({
    riskFree: riskFree.value,
    rollingWindow: rollingWindow.value,
    ...(benchmark.value && { benchmark: benchmark.value.returns }),
  }))
  const whole = computed(() => all.value.map((one) => ({ ...one, sheet: tearSheet(one.series, shared.value) })))
  const portfolios = computed((): ChartedPortfolio[] =>
    whole.value.map(({ id, label, series, sheet }) => {
      const { startDay, endDay } = view
      const inView = view.isWhole.value
        ? sheet
        : tearSheet(series, { ...shared.value, startDay: startDay.value, endDay: endDay.value })
      return { id, label, whole: sheet, inView }
    }),
  )
  const failures = computed(() =>
    others.list.value.flatMap(({ wish, error }) => (error ? [{ label: labelOf(wish), error }] : [])),
  )
  return { returns, prices, problems, nothing, benchmark, portfolios, failures, others }
}

function labelOf({ request }: HistoryWish): string {
  return request.endpoint === 'returns' ? portfolioWords({ smoothing: '', exchange: '', ...request }) : ''
}

function named(wish: HistoryWish, series: DailySeries): NamedSeries {
  const label = labelOf(wish)
  return { id: JSON.stringify(wish.request), label, series }
}
