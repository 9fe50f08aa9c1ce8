import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed, onScopeDispose, shallowRef, watch, type WritableComputedRef } from 'vue'
import { changeQuery } from '../../widgets/addressQuery.ts'
import { portfolioExchangesOf, type Smoothing, smoothings, UNCONSTRAINED } from '#shared/catalog/portfolioEndpoints.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { PortfolioSubject } from '#shared/contract/areas/lab.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { type ChartModel, type ChartSeries, extentOf, rowAtOrAfter } from '../../charts/model.ts'
import { portfoliosText } from '../../text/portfolios.ts'

/** Address fields that links to other tabs keep. */
const carriedFields: readonly string[] = ['portfolio', 'smoothing', 'exchange', 'from', 'to']

export function carriedQuery(source: LocationQuery, target: LocationQuery): LocationQuery {
  const isOwnFile = ownIdOf(String(source.portfolio ?? '')) !== null
  // A user's own file has only a tear sheet; the other tabs keep their previous portfolio.
  const carriedNames = isOwnFile ? carriedFields.filter((name) => name !== 'portfolio') : carriedFields
  const carried = Object.entries(source).filter(([name]) => carriedNames.includes(name))
  const targetFields = Object.entries(target).filter(([name]) => !carriedNames.includes(name))
  return Object.fromEntries([...targetFields, ...carried])
}

/**
 * Stores the fields of a tab in the query of the address, as text; a missing field takes its default value. Other query
 * fields are left alone. `models` binds each field for `v-model`.
 */
export function useAddress<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readAddressFields(route.query, defaults))
  /** Writes the fields that differ from their defaults and replaces the current history entry. */
  function change(patch: Partial<Record<Name, string>>): void {
    changeQuery(router, (query) =>
      queryWithFields(query, { ...readAddressFields(query, defaults), ...patch }, defaults),
    )
  }
  const bind = (name: Name) =>
    computed({
      get: () => address.value[name],
      set: (value: string) => change({ [name]: value } as Partial<Record<Name, string>>),
    })
  const models = Object.fromEntries(Object.keys(defaults).map((name) => [name, bind(name as Name)]))
  return { address, change, models: models as Record<Name, WritableComputedRef<string>> }
}

export function readAddressFields<Name extends string>(
  query: LocationQuery,
  defaults: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const entries = Object.entries<string>(defaults).map(([name, byDefault]) => {
    const written = query[name]
    return [name, typeof written === 'string' ? written : byDefault]
  })
  return Object.fromEntries(entries) as Record<Name, string>
}

export function queryWithFields<Name extends string>(
  query: LocationQuery,
  fields: Record<Name, string>,
  defaults: Readonly<Record<Name, string>>,
): LocationQuery {
  const others = Object.entries(query).filter(([name]) => !(name in defaults))
  const changedFields = Object.entries<string>(fields).filter(([name, value]) => value !== defaults[name as Name])
  return Object.fromEntries([...others, ...changedFields])
}

/** Time after the last chart movement before statistics are updated. */
const SETTLE_MS = 150
const FIRST_MS = Date.UTC(1970, 0, 1)
const LAST_MS = Date.UTC(9999, 11, 31)

/**
 * Shares the visible days between the address (`from`, `to`, both inclusive) and a chart, which writes to the address
 * when it settles. The range of `chart` follows the chart immediately; `startDay` and `endDay` (exclusive), used for statistics,
 * follow the address.
 */
export function useVisibleDays(address: () => DayFields, change: (days: DayFields) => void) {
  const movingRange = shallowRef<TimeRange | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))

  const startMs = computed(() => parseDay(address().from))
  const endMs = computed(() => {
    const lastMs = parseDay(address().to)
    return lastMs === null ? null : lastMs + MS_PER_DAY
  })
  const addressRange = computed((): TimeRange | null =>
    startMs.value === null && endMs.value === null
      ? null
      : { startMs: startMs.value ?? FIRST_MS, endMs: endMs.value ?? LAST_MS },
  )
  // A range set in the address from elsewhere takes precedence over the chart's.
  watch([startMs, endMs], ([start, end]) => {
    const days = movingRange.value && daysOf(movingRange.value)
    if (days && (parseDay(days.from) !== start || parseDay(days.to) !== (end === null ? null : end - MS_PER_DAY)))
      movingRange.value = null
  })

  /** Sets the range; null for all days. */
  function move(range: TimeRange | null): void {
    movingRange.value = range
    clearTimeout(timer)
    timer = setTimeout(() => change(range ? daysOf(range) : { from: '', to: '' }), SETTLE_MS)
  }

  const dayOrNone = (timeMs: number | null): DayNumber | undefined =>
    timeMs === null ? undefined : Math.floor(timeMs / MS_PER_DAY)
  return {
    /** Shows the visible days of a chart; its lines end on the last of them, as the figures do. */
    chart(model: ChartModel): ChartModel {
      const extent = extentOf(model.panes.flatMap(({ series }) => series))
      const range = movingRange.value ?? withinExtent(addressRange.value, extent)
      return { ...(endMs.value === null ? model : { ...chartUntil(model, endMs.value), extent }), range }
    },
    startDay: computed(() => dayOrNone(startMs.value)),
    endDay: computed(() => dayOrNone(endMs.value)),
    isAllDays: computed(() => addressRange.value === null),
    move,
  }
}

/** Cuts the series of a chart at a time, which is not included. */
const chartUntil = (model: ChartModel, endMs: number): ChartModel => ({
  ...model,
  panes: model.panes.map((pane) => ({ ...pane, series: pane.series.map((each) => seriesUntil(each, endMs)) })),
})

function seriesUntil(series: ChartSeries, endMs: number): ChartSeries {
  const rows = rowAtOrAfter(series.times, endMs)
  const { times, values, valid } = series
  return {
    ...series,
    times: times.subarray(0, rows),
    values: values.subarray(0, rows),
    valid: valid && valid.subarray(0, rows),
  }
}

/** Replaces an open start or end of a range with that of the data. */
function withinExtent(range: TimeRange | null, extent: TimeRange | null): TimeRange | null {
  if (!range || !extent) return range
  return {
    startMs: range.startMs === FIRST_MS ? extent.startMs : range.startMs,
    endMs: range.endMs === LAST_MS ? extent.endMs : range.endMs,
  }
}

/** Finds the first and last day whose start is in a range; if there is none, both are the day that starts next. */
function daysOf({ startMs, endMs }: TimeRange): DayFields {
  const first = Math.ceil(clampTime(startMs) / MS_PER_DAY)
  const last = Math.max(first, Math.ceil(clampTime(endMs) / MS_PER_DAY) - 1)
  return { from: dayFromNumber(first), to: dayFromNumber(last) }
}

const clampTime = (timeMs: number) => Math.min(LAST_MS, Math.max(FIRST_MS, timeMs))

const { fields: text, problems } = portfoliosText

/** A portfolio as stored in the address. Empty texts mean: none selected, default smoothing, unconstrained. */
export interface PortfolioFields {
  portfolio: string
  smoothing: string
  exchange: string
}

export const noPortfolio: PortfolioFields = { portfolio: '', smoothing: '', exchange: '' }

const OWN_PREFIX = 'own:'
/** Returns fields that stand for a user's own file instead of a portfolio. */
export const ownFields = (id: string): PortfolioFields => ({ ...noPortfolio, portfolio: OWN_PREFIX + id })
/** Returns the document id of a user's own file; null for any other portfolio. */
export const ownIdOf = (portfolio: string): string | null =>
  portfolio.startsWith(OWN_PREFIX) ? portfolio.slice(OWN_PREFIX.length) : null

const TESTED_PREFIX = 'tested:'
/** Returns fields that stand for a tested portfolio of the Lab. */
export const testedFields = (id: string): PortfolioFields => ({ ...noPortfolio, portfolio: TESTED_PREFIX + id })
/** Returns the study id of a tested portfolio; null for any other. */
export const testedIdOf = (portfolio: string): string | null =>
  portfolio.startsWith(TESTED_PREFIX) ? portfolio.slice(TESTED_PREFIX.length) : null

/** Parameters that name a portfolio in a request to the service. */
interface ChosenPortfolio {
  portfolio: string
  smoothing?: Smoothing
  exchange?: string
}

/** Builds the parameters of a request; null if no portfolio of the service is selected or a field is invalid. */
export function chosenPortfolio({ portfolio, smoothing, exchange }: PortfolioFields): ChosenPortfolio | null {
  if (portfolio === '' || ownIdOf(portfolio) !== null || testedIdOf(portfolio) !== null) return null
  if (fieldProblem({ smoothing })) return null
  return {
    portfolio,
    ...(smoothing && { smoothing: smoothing as Smoothing }),
    ...(exchange && { exchange }),
  }
}

export type LabUniverse = CallInput<'lab.fromPortfolio'>['universe']

const sizes = ['20', '30', '40'] as const

/** Returns the universe of a size on a venue; null for a size that the service does not list by date. */
export function labUniverse(size: string, exchange: PortfolioSubject['exchange']): LabUniverse {
  const knownSize = sizes.find((each) => each === size)
  return knownSize ? { size: knownSize, exchange: exchange ?? 'unconstrained' } : null
}

/**
 * Builds what the Lab needs for a panel of a portfolio's weights; null if `chosenPortfolio` is null. The size of the
 * universe is the part of the portfolio's name after the last dot.
 */
export function labSubject(fields: PortfolioFields): { subject: PortfolioSubject; universe: LabUniverse } | null {
  const chosen = chosenPortfolio(fields)
  if (!chosen) return null
  const { portfolio, ...rest } = chosen
  return {
    subject: { kind: 'weights', id: portfolio, ...rest },
    universe: labUniverse(portfolio.split('.').at(-1) ?? '', rest.exchange),
  }
}

/** Returns why the fields of an address are not a valid request; null if they are. */
export const fieldProblem = ({ smoothing }: Pick<PortfolioFields, 'smoothing'>): string | null =>
  smoothingProblem(smoothing)

export const smoothingProblem = (smoothing: string): string | null =>
  smoothing === '' || smoothings.some((each) => each === smoothing) ? null : problems.smoothing(smoothing, smoothings)

export const smoothingOptions = [
  { value: '', title: text.smoothingDefault },
  ...smoothings.map((value) => ({ value, title: value === '0' ? text.smoothingNone : text.days(Number(value)) })),
]

/** Lists the venues to which a request may be limited, with one that the address names. */
export const venueOptions = (venues: Venues, chosen: string) =>
  [...new Set([...portfolioExchangesOf(venues), ...(chosen === '' ? [] : [chosen])])].map((value) => ({
    value: value === UNCONSTRAINED ? '' : value,
    title: value,
  }))

/** Labels a portfolio with its parameters: `momentum_ls.20, smoothed 10 days, alpha`. */
export const portfolioLabel = ({
  portfolio,
  smoothing = '',
  exchange = '',
}: PortfolioFields | ChosenPortfolio): string =>
  text.portfolioLabel(portfolio, smoothing, exchange === UNCONSTRAINED ? '' : exchange)

/**
 * State shared by tabs about one portfolio: the address fields, the visible days of its charts, and the portfolio to
 * request.
 */
export function usePortfolioFields<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const allDefaults = { ...noPortfolio, from: '', to: '', ...defaults }
  const { address, change, models } = useAddress<Name | keyof typeof allDefaults>(allDefaults)
  return {
    address,
    change,
    models,
    view: useVisibleDays(
      () => address.value,
      (days) => change({ ...days } as Parameters<typeof change>[0]),
    ),
    chosen: computed(() => chosenPortfolio(address.value)),
    /** Reason why the portfolio's fields are not a valid request; null if they are. */
    problem: computed(() => fieldProblem(address.value)),
  }
}

/** Splits names at commas, semicolons and line breaks, without duplicates. */
export const tickerList = (names: string): string[] => [
  ...new Set(
    names
      .split(/[,;\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** Maximum number of tickers in one request. */
const MOST_TICKERS = 2000

export const tickersProblem = (tickers: readonly string[]): string | null =>
  tickers.length > MOST_TICKERS ? problems.tickers(tickers.length, MOST_TICKERS) : null

/** Days in an address, both inclusive; empty means open. */
interface DayFields {
  from: string
  to: string
}

export const daysProblem = ({ from, to }: DayFields): string | null =>
  from !== '' && to !== '' && from > to ? problems.dates : null

/** Builds the bounds of a history request, omitting those that are not valid days. */
export const dayBounds = ({ from, to }: DayFields): { start?: string; end?: string } => ({
  ...(parseDay(from) !== null && { start: from }),
  ...(parseDay(to) !== null && { end: to }),
})
