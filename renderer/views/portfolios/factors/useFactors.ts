import { computed } from 'vue'
import type { HistoryRequest, LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import { factorStudy } from '#shared/lab/factorStudy.ts'
import { percentileMatrix } from '#shared/portfolio/crossSection.ts'
import { type DailyMatrix, dailyMatrixOf } from '#shared/portfolio/dailySeries.ts'
import { factorCorrelations } from '#shared/portfolio/factorCorrelations.ts'
import { factorStandings, type FactorStanding } from '#shared/portfolio/liveFactors.ts'
import { allMembers, membersOnly } from '#shared/portfolio/universeHistory.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { factorsText } from '../../../text/portfolioMarket.ts'
import { usePaced } from '../../../widgets/pacedWork.ts'
import { dayBounds, tickerList } from '../addressFields.ts'
import { recordTableBuilder } from '../../../cards/dailyData.ts'
import { tickerValues, useHistories, useLive, useMatrix, useSnapshots, useTickers } from '../usePortfolioAnswer.ts'
import { factorProblem, isByDate, smoothingParameter, type FactorAddress } from './factorAddress.ts'

/** Loads live and daily values of a factor and its comparisons, and the prices of its tickers. */
function useFactorAnswers(address: () => FactorAddress) {
  const canRequest = computed(() => address().factor !== '' && factorProblem(address()) === null)
  const typedTickers = computed(() => tickerList(address().tickers))

  const universe = useTickers(() =>
    canRequest.value && typedTickers.value.length === 0
      ? {
          endpoint: 'tickers',
          id: address().factor,
          universeSize: address().universe,
          ...(address().venue !== '' && { exchange: address().venue }),
        }
      : null,
  )
  const tickers = computed(() =>
    typedTickers.value.length > 0 ? typedTickers.value : (universe.value.value?.tickers ?? []),
  )
  const isReady = computed(() => canRequest.value && tickers.value.length > 0)

  const liveRequestFor = (asOf: 'latest' | 'close') => (): LiveRequest | null =>
    isReady.value
      ? {
          endpoint: 'factors-live',
          id: address().factor,
          tickers: tickers.value,
          asOf,
          ...smoothingParameter(address().smoothing),
        }
      : null
  const latest = useLive(liveRequestFor('latest'))
  const close = useLive(liveRequestFor('close'))
  const snapshotMs = computed(() => {
    const timeMs = Number(address().snapshot)
    return address().snapshot === '' || !Number.isFinite(timeMs) ? null : timeMs
  })
  const snapshots = useSnapshots(
    liveRequestFor('latest'),
    () => latest.value.value,
    () => snapshotMs.value,
  )
  /** Live answer for the standings: the latest, or a selected earlier one. */
  const shownLive = computed(() => (snapshotMs.value === null ? latest.value.value : snapshots.selected.value))

  // The membership is loaded without a start, because the members of the first day are in the row of the day before.
  const membership = useMatrix(() =>
    canRequest.value && isByDate(address())
      ? {
          request: {
            endpoint: 'universe',
            size: address().universe as '20',
            ...(address().venue !== '' && { exchange: address().venue }),
          },
          ...dayBounds({ from: '', to: address().to }),
        }
      : null,
  )
  /**
   * Tickers of the history: all that were members on some day of the range, or else the typed ones or today's members.
   */
  const historyTickers = computed(() => {
    if (!isByDate(address())) return tickers.value
    const members = membership.value.value?.matrix
    if (!members) return []
    const { start, end } = dayBounds(address())
    return allMembers(members, start ? dayNumberOf(start) : -Infinity, end ? dayNumberOf(end) + 1 : Infinity)
  })
  const hasHistoryTickers = computed(() => canRequest.value && historyTickers.value.length > 0)

  const requestOf = (id: string): HistoryRequest => ({
    endpoint: 'factors',
    id,
    tickers: historyTickers.value,
    ...smoothingParameter(address().smoothing),
  })
  const history = useMatrix(() =>
    hasHistoryTickers.value ? { request: requestOf(address().factor), ...dayBounds(address()) } : null,
  )
  const prices = useMatrix(() =>
    hasHistoryTickers.value
      ? { request: { endpoint: 'prices', ticker: historyTickers.value }, ...dayBounds(address()) }
      : null,
  )
  const compared = computed(() => tickerList(address().with).filter((id) => id !== address().factor))
  const otherHistories = useHistories(() =>
    hasHistoryTickers.value ? compared.value.map((id) => ({ request: requestOf(id), ...dayBounds(address()) })) : [],
  )
  return {
    typedTickers,
    universe,
    membership,
    tickers,
    latest,
    close,
    snapshots,
    shownLive,
    history,
    prices,
    otherHistories,
  }
}

/** Loads the answers about a factor and computes standings, forward returns, percentiles and correlations. */
export function useFactors(address: () => FactorAddress) {
  const answers = useFactorAnswers(address)
  const { close, shownLive, membership, history, prices, otherHistories } = answers

  const standings = computed(() =>
    shownLive.value || close.value.value
      ? factorStandings(
          shownLive.value ? tickerValues(shownLive.value.rows) : new Map(),
          close.value.value ? tickerValues(close.value.value.rows) : new Map(),
        )
      : null,
  )
  const matrix = computed(() => history.value.value?.matrix ?? null)
  const priceMatrix = computed(() => prices.value.value?.matrix ?? null)
  const members = computed(() => (isByDate(address()) ? (membership.value.value?.matrix ?? null) : null))
  const forward = usePaced(() =>
    matrix.value && priceMatrix.value
      ? factorStudy(
          { factor: matrix.value, prices: priceMatrix.value, universe: members.value },
          {
            quantiles: Number(address().quantiles),
            horizonDays: Number(address().horizon),
            delayDays: Number(address().entry),
            costBps: Number(address().cost),
          },
        )
      : null,
  )
  const percentiles = usePaced(() =>
    matrix.value && address().shown === 'percentile' ? percentilesOf(matrix.value, members.value) : null,
  )
  const correlations = usePaced(() => {
    const matrices = otherHistories.list.value.flatMap(({ query, answer }) =>
      answer && query.request.endpoint === 'factors'
        ? [{ name: query.request.id, matrix: dailyMatrixOf(answer.rows).matrix }]
        : [],
    )
    return matrix.value && matrices.length > 0
      ? correlationsOf([{ name: address().factor, matrix: matrix.value }, ...matrices], members.value)
      : null
  })
  const failures = computed(() =>
    otherHistories.list.value.flatMap(({ query, error }) =>
      error && query.request.endpoint === 'factors' ? [{ id: query.request.id, error }] : [],
    ),
  )
  return { ...answers, standings, matrix, forward, percentiles, correlations, failures }
}

/** Computes percentiles among each day's members; without a universe, among all tickers. */
function* percentilesOf(matrix: DailyMatrix, members: DailyMatrix | null) {
  return yield* percentileMatrix(members ? yield* membersOnly(matrix, members) : matrix)
}

/** Correlates factors across each day's members; without a universe, across all tickers. */
function* correlationsOf(factors: { name: string; matrix: DailyMatrix }[], members: DailyMatrix | null) {
  const masked: typeof factors = []
  for (const { name, matrix } of factors)
    masked.push({ name, matrix: members ? yield* membersOnly(matrix, members) : matrix })
  return yield* factorCorrelations(masked)
}

const { columns: text } = factorsText.live
const plainText = (value: number | string) => String(value)
const signedText = (value: number | string) => (Number(value) > 0 ? `+${value}` : String(value).replace('-', '−'))

export const standingTable = recordTableBuilder<FactorStanding>(text, (column) => [
  column.text('ticker', 110, ({ ticker }) => ticker),
  column.number('latest', 'statistic', 110, ({ latest }) => latest.value),
  column.number('rank', 'score', 76, ({ latest }) => latest.rank, { format: plainText }),
  column.number('percentile', 'fraction', 104, ({ latest }) => latest.percentile, { look: 'bar' }),
  column.number('close', 'statistic', 110, ({ close }) => close.value),
  column.number('closeRank', 'score', 90, ({ close }) => close.rank, { format: plainText }),
  column.number('closePercentile', 'fraction', 124, ({ close }) => close.percentile),
  column.number('change', 'statistic', 110, ({ change }) => change),
  column.number('rankChange', 'score', 110, ({ rankChange }) => rankChange, { format: signedText }),
])
