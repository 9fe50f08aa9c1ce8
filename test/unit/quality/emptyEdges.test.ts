import { expect, it, onTestFinished } from 'vitest'
import { createQualityService } from '#core/quality/qualityService.ts'
import { longestEmptyRun } from '#shared/quality/checkRows.ts'
import { addMetricFiles, type MarketRow } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const MINUTE = 60_000
const DAYS = ['2026-08-01', '2026-08-02', '2026-08-03']
const START = Date.parse(DAYS[0])
const clock = { nowMs: () => Date.parse('2026-08-05') }

/**
 * Returns the minutes of three days; minutes without trades have a volume of 0 and are left out at the edges of a day.
 */
function tradedMinutes(hasTrade: (minute: number) => boolean): MarketRow[] {
  const minutes = Array.from({ length: DAYS.length * 1440 }, (_, minute) => minute)
  const isWithin = (minute: number) => {
    const day = Math.floor(minute / 1440) * 1440
    const traded = minutes.slice(day, day + 1440).filter(hasTrade)
    return minute >= traded[0] && minute <= traded[traded.length - 1]
  }
  const bounds = new Map(DAYS.map((_, day) => [day, minutes.slice(day * 1440, (day + 1) * 1440).filter(isWithin)]))
  return [...bounds.values()].flat().map((minute) => ({
    time: START + minute * MINUTE,
    ...(hasTrade(minute) && { close: 100 + (minute % 7) * 0.01 }),
    volume: hasTrade(minute) ? 1 + (minute % 5) : 0,
  }))
}

async function findingsOf(rows: MarketRow[]) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const quality = createQualityService({ store, clock, changedFiles: null })
  onTestFinished(() => quality.close())
  const series = {
    dataset: 'ohlcv',
    exchange: 'venuea-futures',
    symbol: 'perpetual-CAT-USDT:USDT',
    interval: '1m',
  }
  addMetricFiles(store, dataDir, { ...series, columns: ['close', 'volume'], rows }, DAYS)
  const { findings } = await quality.check({ connectionId: 'sandbox' }, { signal: new AbortController().signal })
  return findings.map(({ kind, from, count }) => [kind, (from - START) / MINUTE, count])
}

it('no gap is found around midnight where a symbol often has minutes without trades', async () => {
  // Every hour begins with ten minutes without trades; around the first midnight there are twenty, from 23:50 to 0:10.
  const isQuiet = (minute: number) => minute % 60 < 10 || (minute >= 1430 && minute < 1448)
  expect(await findingsOf(tradedMinutes((minute) => !isQuiet(minute)))).toEqual([])
})

it('a gap around midnight is found where it is longer than any silence, or where there is none', async () => {
  const isSilent = (minute: number) => minute % 60 < 10
  const isInGap = (minute: number) => minute >= 1400 && minute < 1450
  expect(await findingsOf(tradedMinutes((minute) => !isSilent(minute) && !isInGap(minute)))).toEqual([
    ['missing', 1400, 40],
    ['missing', 1440, 10],
  ])
  expect(await findingsOf(tradedMinutes((minute) => minute < 2878 || minute >= 2880))).toEqual([['missing', 2878, 2]])
})

it('the longest run of rows without events has no value but 0 in any column', () => {
  const times = Float64Array.from({ length: 8 }, (_, row) => row)
  const columns = new Map([
    ['close', Float64Array.of(1, NaN, NaN, NaN, 2, NaN, NaN, 1)],
    ['volume', Float64Array.of(1, 0, 0, 3, 1, 0, NaN, 1)],
  ])
  expect(longestEmptyRun({ times, columns })).toBe(2)
  expect(longestEmptyRun({ times, columns: new Map([['close', times.map(() => 1)]]) })).toBe(0)
})
