import { computed } from 'vue'
import type { HistoryRequest, LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import { percentileMatrix } from '#shared/portfolio/crossSection.ts'
import { dailyMatrixOf } from '#shared/portfolio/dailyMatrix.ts'
import { factorCorrelations } from '#shared/portfolio/factorCorrelations.ts'
import { factorStudy } from '#shared/portfolio/factorReturns.ts'
import { factorStandings } from '#shared/portfolio/liveFactors.ts'
import { tickerList } from '../tickerList.ts'
import { tickerValues } from '../tickerValues.ts'
import { usePaced } from '../usePaced.ts'
import { useHistories } from '../useHistories.ts'
import { useLive, useMatrix, useTickers } from '../usePortfolioAnswer.ts'
import { boundsOf, factorProblem, smoothed, type FactorAddress } from './factorAddress.ts'

/** All that is asked for about a factor, and what follows from it. */
export function useFactors(address: () => FactorAddress) {
  const isPossible = computed(() => address().factor !== '' && factorProblem(address()) === null)
  const typed = computed(() => tickerList(address().tickers))

  const universe = useTickers(() =>
    isPossible.value && typed.value.length === 0
      ? { endpoint: 'tickers', id: address().factor, universeSize: address().universe }
      : null,
  )
  const tickers = computed(() => (typed.value.length > 0 ? typed.value : (universe.value.value?.tickers ?? [])))
  const isReady = computed(() => isPossible.value && tickers.value.length > 0)

  const live = (asOf: 'latest' | 'close') => (): LiveRequest | null =>
    isReady.value
      ? {
          endpoint: 'factors-live',
          id: address().factor,
          tickers: tickers.value,
          asOf,
          ...smoothed(address().smoothing),
        }
      : null
  const latest = useLive(live('latest'))
  const close = useLive(live('close'))

  const requestOf = (id: string): HistoryRequest => ({
    endpoint: 'factors',
    id,
    tickers: tickers.value,
    ...smoothed(address().smoothing),
  })
  const history = useMatrix(() =>
    isReady.value ? { request: requestOf(address().factor), ...boundsOf(address()) } : null,
  )
  const prices = useMatrix(() =>
    isReady.value ? { request: { endpoint: 'prices', ticker: tickers.value }, ...boundsOf(address()) } : null,
  )
  const compared = computed(() => tickerList(address().with).filter((id) => id !== address().factor))
  const others = useHistories(() =>
    isReady.value ? compared.value.map((id) => ({ request: requestOf(id), ...boundsOf(address()) })) : [],
  )

  const standings = computed(() =>
    latest.value.value || close.value.value
      ? factorStandings(
          latest.value.value ? tickerValues(latest.value.value.rows) : new Map(),
          close.value.value ? tickerValues(close.value.value.rows) : new Map(),
        )
      : null,
  )
  const matrix = computed(() => history.value.value?.matrix ?? null)
  const priceMatrix = computed(() => prices.value.value?.matrix ?? null)
  const afterwards = usePaced(() =>
    matrix.value && priceMatrix.value
      ? factorStudy(matrix.value, priceMatrix.value, {
          quantiles: Number(address().quantiles),
          horizonDays: Number(address().horizon),
        })
      : null,
  )
  const percentiles = usePaced(() =>
    matrix.value && address().shown === 'percentile' ? percentileMatrix(matrix.value) : null,
  )
  const correlations = usePaced(() => {
    const beside = others.list.value.flatMap(({ wish, answer }) =>
      answer && wish.request.endpoint === 'factors'
        ? [{ name: wish.request.id, matrix: dailyMatrixOf(answer.rows).matrix }]
        : [],
    )
    return matrix.value && beside.length > 0
      ? factorCorrelations([{ name: address().factor, matrix: matrix.value }, ...beside])
      : null
  })
  const failures = computed(() =>
    others.list.value.flatMap(({ wish, error }) =>
      error && wish.request.endpoint === 'factors' ? [{ id: wish.request.id, error }] : [],
    ),
  )
  return {
    typed,
    universe,
    tickers,
    latest,
    close,
    history,
    prices,
    others,
    standings,
    matrix,
    afterwards,
    percentiles,
    correlations,
    failures,
  }
}
