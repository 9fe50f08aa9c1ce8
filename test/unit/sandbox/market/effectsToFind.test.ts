import { describe, expect, it } from 'vitest'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { seriesNamesOf } from '#shared/formula/tree.ts'
import { addPair, noPairs } from '#shared/statistics/pairMoments.ts'
import { averageRanks } from '#shared/statistics/ranks.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { announcementOf } from '../../../../electron/sandbox/announcement.ts'
import { dailyMarketOf } from '../../../../electron/sandbox/market/daily.ts'
import { marketDay } from '../../../../electron/sandbox/market/days.ts'
import { findInstrument, type SandboxInstrument } from '../../../../electron/sandbox/market/instruments.ts'
import { plantedList, type PlantedEffect } from '../../../../electron/sandbox/market/plantedList.ts'
import { documentedVenues, parseVenues } from '../../../../electron/sandbox/market/venues.ts'
import { panelTickers } from '../../../../electron/sandbox/portfolio/panel.ts'
import type { Sandbox } from '../../../../electron/sandbox/server.ts'
import { BAR_MS, type Bars, BARS_PER_DAY, sandboxBars } from '../../../fakes/sandboxBars.ts'

const SEED = 1
const HOUR_MS = 3_600_000
const now = Date.parse('2026-11-01')
const planted = plantedList(SEED, documentedVenues, now)

function effectOf<Kind extends PlantedEffect['effect']>(kind: Kind): Extract<PlantedEffect, { effect: Kind }> {
  const [effect] = planted.filter((one): one is Extract<PlantedEffect, { effect: Kind }> => one.effect === kind)
  return effect
}
const imbalance = effectOf('imbalance')
const crowding = effectOf('crowding')
const cheapHour = effectOf('cheap hour')

const instrumentOf = (symbol: string) => findInstrument(SEED, documentedVenues[0], symbol)!
const found = instrumentOf(imbalance.symbol)
const others = ['perpetual-TWT-USDT:USDT', 'perpetual-ZIL-USDT:USDT'].map(instrumentOf)

/** The same instrument with the same random draws, as if another venue came first: without effects to find. */
const twinOf = (instrument: SandboxInstrument): SandboxInstrument => ({
  ...instrument,
  venue: { ...instrument.venue, isFirst: false },
})

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Computes the t statistic of the mean of independent values. */
function tOfMean(values: readonly number[]): number {
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return centre / Math.sqrt(squares / (values.length - 1) / values.length)
}

function medianOf(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * Computes the rank correlation of the imbalance of each bar with the return over a bar after the delay.
 * @param isUsed tells from the number of a bar in its day whether the bar counts
 */
function imbalanceIc(bars: Bars, isUsed: (bar: number) => boolean = () => true): { ic: number; n: number } {
  const [signal, close] = [bars.column(imbalance.columns[0]), bars.column('ohlcv.close')]
  const pairs = Array.from(signal, (value, bar) => {
    const entry = bar + imbalance.delayBars
    return [isUsed(bar % BARS_PER_DAY) ? value : Number.NaN, close[entry + imbalance.horizon] / close[entry] - 1]
  }).filter(([value, change]) => !Number.isNaN(value) && !Number.isNaN(change))
  const [x, y] = [0, 1].map((at) => averageRanks(Float64Array.from(pairs, (pair) => pair[at])))
  const moments = noPairs()
  x.forEach((rank, row) => addPair(moments, rank, y[row]))
  return { ic: moments.products / Math.sqrt(moments.squaresX * moments.squaresY), n: pairs.length }
}

const daysFrom = (day: string, count: number) => [marketDay(day), marketDay(day) + count] as const
const ofBooks = (instrument: SandboxInstrument, days: readonly [number, number]) =>
  sandboxBars(instrument, SEED, days, ['ohlcv', 'l2_imbalance', 'l1_liquidity'])

/** Computes the median spread of every hour of the day, over some of the days. */
function spreadByHour(bars: Bars, fromDay: number, toDay: number): number[] {
  const spreads = [...bars.column(cheapHour.columns[0]).subarray(fromDay * BARS_PER_DAY, toDay * BARS_PER_DAY)]
  const hourOf = (bar: number) => Math.floor((bar % BARS_PER_DAY) / 12)
  return Array.from({ length: 24 }, (_, hour) => medianOf(spreads.filter((_, bar) => hourOf(bar) === hour)))
}

describe('the imbalance and the cheap hour that the sandbox plants', () => {
  const [cheap] = cheapHour.hours
  const here = ofBooks(found, daysFrom('2026-03-01', 60))
  const elsewhere = others.map((one) => ofBooks(one, daysFrom('2026-03-01', 20)))

  it('are found on their symbol: the imbalance within its error', () => {
    const { ic, n } = imbalanceIc(here)
    expect(ic * Math.sqrt(n)).toBeGreaterThan(2.5)
    expect(Math.abs(ic - imbalance.size) * Math.sqrt(n)).toBeLessThan(2)
  })

  it('are found on their symbol: the hour, at its size, in each month', () => {
    for (const [from, to] of [
      [0, 30],
      [30, 60],
    ]) {
      const spreads = spreadByHour(here, from, to)
      const neighbours = (spreads[cheap - 1] + spreads[cheap + 1]) / 2
      expect(spreads.indexOf(Math.min(...spreads))).toBe(cheap)
      expect(spreads[cheap] / neighbours).toBeCloseTo(cheapHour.size, 1)
    }
  })

  it('are found on no other symbol', () => {
    for (const bars of elsewhere) {
      const { ic, n } = imbalanceIc(bars)
      const spreads = spreadByHour(bars, 0, 20)
      expect(Math.abs(ic) * Math.sqrt(n)).toBeLessThan(2)
      expect(spreads[cheap] / medianOf(spreads)).toBeGreaterThan(1)
    }
  })

  it('correlate by as much as is named, beside the same draws without them', () => {
    // The draws are the same until the cheap hour, in days without crowding.
    const days = daysFrom('2026-05-01', 12)
    const isBeforeCheapHour = (bar: number) => bar + 2 < cheap * 12
    const [withEffects, without] = [found, twinOf(found)].map((one) =>
      imbalanceIc(ofBooks(one, days), isBeforeCheapHour),
    )
    expect(without.n).toBe(withEffects.n)
    expect(withEffects.ic - without.ic).toBeCloseTo(imbalance.size, 2)
  })
})

describe('the crowding that the sandbox plants', () => {
  const market = dailyMarketOf(SEED)
  const lastDays = crowding.times.slice(-4)

  /** Computes the share of the hours before each height, and of the days before those, in which the state is on. */
  function shareCrowded(instrument: SandboxInstrument): { before: number; earlier: number } {
    const shares = lastDays.map(({ height }) => {
      const end = Math.floor(height / MS_PER_DAY) + 1
      const bars = sandboxBars(instrument, SEED, [end - 7, end], ['funding', 'basis', 'open_interest'])
      const inputs = crowding.columns.map((name): [string, SeriesInput] => [
        name,
        { times: bars.timeMs, values: bars.column(name), valid: null, intervalMs: BAR_MS },
      ])
      const { values, valid } = evaluateFormula(crowding.when, new Map(inputs))
      const shareOn = (from: number, to: number) =>
        mean(
          [...values]
            .filter((_, bar) => valid?.[bar] !== 0 && bars.timeMs[bar] >= from && bars.timeMs[bar] < to)
            .map((value) => Number(value !== 0)),
        )
      const [halfDay, twoDays] = [height - MS_PER_DAY / 2, height - 2 * MS_PER_DAY]
      return { before: shareOn(halfDay, height), earlier: shareOn(bars.timeMs[0], twoDays) }
    })
    return { before: mean(shares.map(({ before }) => before)), earlier: mean(shares.map(({ earlier }) => earlier)) }
  }

  /** Lists the log returns of an asset over the hours from each height, moved by some hours. */
  function falls({ base, firstDay }: SandboxInstrument, moved = 0): number[] {
    const priceAt = (timeMs: number) => {
      const day = Math.floor(timeMs / MS_PER_DAY)
      return market.hourPrice(base, day, (timeMs - day * MS_PER_DAY) / HOUR_MS)
    }
    return crowding.times
      .filter(({ from }) => from / MS_PER_DAY > marketDay(firstDay) + 1)
      .map(({ height }) => height + moved * HOUR_MS)
      .map((start) => Math.log(priceAt(start + crowding.overHours * HOUR_MS) / priceAt(start)))
  }

  it('shows in the state that is named, several times a year', () => {
    const { before, earlier } = shareCrowded(found)
    expect(before).toBeGreaterThan(0.9)
    expect(earlier).toBeLessThan(0.01)
    const years = (now - marketDay(found.firstDay) * MS_PER_DAY) / (365 * MS_PER_DAY)
    expect(crowding.times.length / years).toBeGreaterThan(6)
    expect(crowding.times.length / years).toBeLessThan(15)
  })

  it('comes before falls of the size that is named, and not after them', () => {
    const after = falls(found)
    expect(Math.abs(tOfMean(after.map((fall) => fall - crowding.size)))).toBeLessThan(2)
    expect(tOfMean(after)).toBeLessThan(-8)
    for (const hours of [-36, -24, -12, 12, 24]) expect(Math.abs(tOfMean(falls(found, hours)))).toBeLessThan(2.5)
  })

  it('shows on no other symbol, and the price of none falls', () => {
    for (const one of others) {
      expect(shareCrowded(one).before).toBeLessThan(0.01)
      expect(Math.abs(tOfMean(falls(one)))).toBeLessThan(2)
    }
  })
})

describe('the list of planted effects', () => {
  const kindsOf = (list: readonly PlantedEffect[], symbol: string) =>
    list.filter((one) => one.symbol === symbol).map(({ effect }) => effect)

  it('is announced, and names one symbol of the first venue for the three effects along time', () => {
    for (const seed of [1, 2, 7, 42]) {
      const venues = parseVenues('alpha-futures;beta-perps;gamma-perps')
      const sandbox = { url: '', catalogUrl: '', seed, venues, now: () => now } as unknown as Sandbox
      const { planted: list } = announcementOf(sandbox)
      const alongTime = list.filter(({ interval }) => interval === '5m')
      expect(alongTime.map(({ effect }) => effect)).toEqual(['imbalance', 'crowding', 'cheap hour'])
      for (const { exchange, symbol } of alongTime) {
        expect(exchange).toBe('alpha-futures')
        expect(findInstrument(seed, venues[0], symbol)).toMatchObject({ lastDay: null, holes: [], kind: 'perpetual' })
      }
      expect(kindsOf(list, alongTime[0].symbol)).toHaveLength(3)
    }
  })

  it('has the effects of all small assets too, and none of a major', () => {
    expect(kindsOf(planted, 'perpetual-TWT-USDT:USDT')).toEqual(['rise before funding', 'fall after widening'])
    expect(kindsOf(planted, 'perpetual-BTC-USDT:USDT')).toEqual([])
    const rise = effectOf('rise before funding')
    const { base } = instrumentOf(rise.symbol)
    const changes = Array.from({ length: 400 }, (_, at) => dailyMarketOf(SEED).hourPrices(base, 20_200 + at))
      .filter(([open]) => open > 0)
      .flatMap((prices) => rise.hours.map((hour) => Math.log(prices[hour + 1] / prices[hour])))
    expect(Math.abs(tOfMean(changes.map((change) => change - rise.size)))).toBeLessThan(2)
  })

  it('names columns of the catalog, and formulas of those columns', () => {
    const known = new Set(metricDatasets.flatMap(({ id, columns }) => columns.map(({ name }) => `${id}.${name}`)))
    for (const { columns } of planted) for (const name of columns) expect(known).toContain(name)
    for (const formula of [crowding.score, crowding.when])
      expect(seriesNamesOf(parseFormula(formula)).sort()).toEqual([...crowding.columns].sort())
  })

  it('names an asset that the portfolios of the service do not hold, so that their figures stay', () => {
    for (const seed of [1, 2, 7, 42]) expect(panelTickers(seed)).not.toContain(found.base)
  })
})
