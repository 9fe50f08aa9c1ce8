import { pearson } from '#shared/portfolio/book/seriesCorrelations.ts'
import { figureValues, type FigureValues, returnsView } from '#shared/portfolio/figures.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { PanelError } from '../../panel.ts'
import { sortWarnings, type StudyWarning } from '../../studyWarnings.ts'
import {
  type BlendData,
  type BlendWeights,
  blendComponents,
  shapeComponents,
  type ShapedBlend,
  type TickerTable,
} from './blendWeights.ts'
import type { BlendStudy } from './fields.ts'

interface BlendFigures {
  /** Null without a return. */
  net: FigureValues | null
  gross: FigureValues | null
}

/** The blend without one of its components, compared with the whole. */
interface BlendWithout {
  /** Place of the component, from 0. */
  component: number
  figures: BlendFigures
  /** Of the daily net returns on the days that both have. */
  correlation: number | null
  /** Correlation over the last 90 of these days. */
  rolling90: { days: string[]; values: (number | null)[] }
}

export interface BlendOutcome {
  data: {
    rows: number
    duplicates: number
    missingRows: number
    symbols: number
    times: number
    firstTime: number
    lastTime: number
    /** Only rows from the cache have these. */
    notDownloaded?: undefined
    funding?: undefined
  }
  warnings: StudyWarning[]
  days: string[]
  tickers: string[]
  /** Weights by day, null where there is none. */
  weights: (number | null)[][]
  net: (number | null)[]
  gross: (number | null)[]
  /** Mean one-way turnover of the days that have a return. */
  turnover: number | null
  figures: BlendFigures
  /** Share of the held gross weight that has prices; null if nothing is held. */
  coverage: number | null
  attrition: { memberDays: number; noValue: number; noVolatility: number; noPrice: number }
  /** The blend without each of its components; null for a single component, as the published answers have it. */
  without: BlendWithout[] | null
  /** Of the daily returns of each component’s shaped weights, before costs. */
  componentCorrelations: (number | null)[][]
}

export interface BlendResult extends BlendOutcome {
  version: 1
  kind: 'blend'
  study: BlendStudy
  documentHash: string
  family: string
}

/** Days over which the correlation with the whole is rolled. */
const ROLLING_DAYS = 90
/** Days that are blended between two notices of progress. */
const DAYS_PER_NOTICE = 100

export function runBlend(
  study: BlendStudy,
  data: BlendData,
  onShare: (share: number) => void = () => undefined,
): BlendOutcome {
  const range = { first: dayNumberOf(study.start), last: dayNumberOf(study.end) }
  const shaped = shapeComponents(study, data, range)
  if (shaped.days.length === 0) throw new PanelError(`No component has a row from ${study.start} to ${study.end}.`)
  const { whole, without: weightsWithout } = blendComponents(shaped, (row) => {
    if (row % DAYS_PER_NOTICE === 0) onShare(row / shaped.days.length)
  })
  if (whole.days.length === 0)
    throw new PanelError(`No component has a value of a member from ${study.start} to ${study.end}.`)
  const changes = priceChanges(shaped, data.prices)
  const held = hold(whole)
  const returns = returnsOf(held, changes, study.costBps)
  const dayTexts = Array.from({ length: held.days }, (_, at) => dayFromNumber(held.first + at))
  const without = weightsWithout.map((weights, component) => {
    const rest = returnsOf(hold(weights), changes, study.costBps)
    return { component, figures: figuresOf(rest), ...compare(returns, rest, (day) => dayTexts[day - held.first]) }
  })
  return describe(shaped, whole, { held, returns, without, alone: returnsAlone(shaped, changes) })
}

/** Weights of every day from the first to the last. */
interface HeldWeights {
  first: number
  days: number
  /** Row of the weights of each day. */
  rows: Int32Array
  weights: Float64Array
}

/** Repeats the weights of a day until the next day with weights. */
function hold({ days, weights }: BlendWeights): HeldWeights {
  if (days.length === 0) return { first: 0, days: 0, rows: new Int32Array(0), weights }
  const first = days[0]
  const count = days[days.length - 1] - first + 1
  const rows = new Int32Array(count)
  for (let at = 0, row = 0; at < count; at++) {
    if (row + 1 < days.length && days[row + 1] === first + at) row++
    rows[at] = row
  }
  return { first, days: count, rows, weights }
}

/** Changes of prices from one day to the next. */
interface PriceChanges {
  first: number
  width: number
  /** From day `first + row` to the next, row by row; NaN without both prices. */
  values: Float64Array
}

function priceChanges({ tickers, days }: ShapedBlend, prices: TickerTable): PriceChanges {
  const first = days[0]
  const count = days[days.length - 1] - first
  const width = tickers.length
  const own = prices.tickers.length
  const placeOf = new Map(prices.tickers.map((ticker, place) => [ticker, place]))
  const columns = Int32Array.from(tickers, (ticker) => placeOf.get(ticker) ?? -1)
  const values = new Float64Array(count * width).fill(NaN)
  for (let row = 1; row < prices.days.length; row++) {
    const to = (prices.days[row - 1] - first) * width
    if (to < 0 || to >= values.length || prices.days[row - 1] !== prices.days[row] - 1) continue
    for (let ticker = 0; ticker < width; ticker++) {
      if (columns[ticker] < 0) continue
      const before = prices.values[(row - 1) * own + columns[ticker]]
      if (before > 0) values[to + ticker] = prices.values[row * own + columns[ticker]] / before - 1
    }
  }
  return { first, width, values }
}

interface DailyReturns {
  /** Days with a return: all but the first. */
  days: Int32Array
  net: Float64Array
  gross: Float64Array
  turnover: number | null
  coverage: number | null
  noPrice: number
}

/** Returns of weights held from one day to the next, minus the cost of their two-way turnover. */
function returnsOf(held: HeldWeights, { first, width, values }: PriceChanges, costBps: number): DailyReturns {
  const count = Math.max(0, held.days - 1)
  const net = new Float64Array(count)
  const gross = new Float64Array(count)
  const { weights, rows } = held
  let [turnover, heldGross, pricedGross, noPrice] = [0, 0, 0, 0]
  for (let at = 0; at < count; at++) {
    const from = rows[at] * width
    const to = rows[at + 1] * width
    const changes = (held.first - first + at) * width
    let value = 0
    let traded = 0
    for (let ticker = 0; ticker < width; ticker++) {
      const weight = orZero(weights[from + ticker])
      if (from !== to) traded += Math.abs(orZero(weights[to + ticker]) - weight)
      if (weight === 0) continue
      const change = values[changes + ticker]
      const size = Math.abs(weight)
      heldGross += size
      if (change === change) {
        value += weight * change
        pricedGross += size
      } else noPrice++
    }
    turnover += traded / 2
    gross[at] = value
    net[at] = value - (costBps / 1e4) * traded
  }
  return {
    days: Int32Array.from({ length: count }, (_, at) => held.first + at + 1),
    net,
    gross,
    turnover: count === 0 ? null : turnover / count,
    coverage: heldGross === 0 ? null : pricedGross / heldGross,
    noPrice,
  }
}

const orZero = (weight: number): number => (weight === weight ? weight : 0)

/** Daily returns of the shaped weights of each component, held until its next day; 0 where it holds nothing. */
function returnsAlone({ shaped, days }: ShapedBlend, { first, width, values }: PriceChanges): Float64Array[] {
  const count = values.length / width || 0
  return shaped.map((component) => {
    const returns = new Float64Array(count)
    let row = -1
    for (let at = 0, next = 0; at < count; at++) {
      for (; next < days.length && days[next] <= first + at; next++) if (component.isThere[next]) row = next
      if (row < 0) continue
      let value = 0
      for (let ticker = 0; ticker < width; ticker++) {
        const change = component.values[row * width + ticker] * values[at * width + ticker]
        if (change === change) value += change
      }
      returns[at] = value
    }
    return returns
  })
}

function figuresOf({ days, net, gross }: DailyReturns): BlendFigures {
  if (days.length === 0) return { net: null, gross: null }
  const of = (values: Float64Array) => figureValues(returnsView({ days, values, valid: null }))
  return { net: of(net), gross: of(gross) }
}

/** @param textOf writes a day of the whole, of which there are many */
function compare(
  whole: DailyReturns,
  rest: DailyReturns,
  textOf: (day: number) => string,
): Pick<BlendWithout, 'correlation' | 'rolling90'> {
  if (whole.days.length === 0 || rest.days.length === 0)
    return { correlation: null, rolling90: { days: [], values: [] } }
  const first = Math.max(whole.days[0], rest.days[0])
  const end = Math.min(whole.days[0] + whole.days.length, rest.days[0] + rest.days.length)
  const part = ({ days, net }: DailyReturns) => net.slice(first - days[0], Math.max(first, end) - days[0])
  const [x, y] = [part(whole), part(rest)]
  return {
    correlation: pearson(x, y),
    rolling90: {
      days: Array.from(x, (_, at) => textOf(first + at)),
      values: Array.from(x, (_, at) => (at + 1 < ROLLING_DAYS ? null : pearson(x, y, at + 1 - ROLLING_DAYS, at + 1))),
    },
  }
}

interface BlendParts {
  held: HeldWeights
  returns: DailyReturns
  without: BlendWithout[]
  /** Returns of each component alone. */
  alone: Float64Array[]
}

function describe(
  { tickers }: ShapedBlend,
  whole: BlendWeights,
  { held, returns, without, alone }: BlendParts,
): BlendOutcome {
  const width = tickers.length
  const rows = Array.from({ length: whole.days.length }, (_, row) =>
    Array.from(whole.weights.subarray(row * width, (row + 1) * width), (weight) =>
      weight === weight ? weight + 0 : null,
    ),
  )
  const { memberDays, noValue, noVolatility } = whole
  const present = rows.flat().filter((weight) => weight !== null).length
  const withFirst = (values: Float64Array): (number | null)[] => [null, ...values]
  return {
    data: {
      rows: present,
      duplicates: 0,
      missingRows: rows.length * width - present,
      symbols: width,
      times: held.days,
      firstTime: held.first * MS_PER_DAY,
      lastTime: (held.first + held.days - 1) * MS_PER_DAY,
    },
    warnings: sortWarnings([]),
    days: Array.from({ length: held.days }, (_, at) => dayFromNumber(held.first + at)),
    tickers: [...tickers],
    weights: Array.from(held.rows, (row) => rows[row]),
    net: withFirst(returns.net),
    gross: withFirst(returns.gross),
    turnover: returns.turnover,
    figures: figuresOf(returns),
    coverage: returns.coverage,
    attrition: { memberDays, noValue, noVolatility, noPrice: returns.noPrice },
    without: without.length === 0 ? null : without,
    componentCorrelations: alone.map((x, row) => alone.map((y, column) => (row === column ? 1 : pearson(x, y)))),
  }
}
