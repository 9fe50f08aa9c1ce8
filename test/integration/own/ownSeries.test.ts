import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEventBus } from '#core/eventBus.ts'
import { createOwnData } from '#core/own/ownData.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { flagsIn } from '#shared/overview/flags.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { addMetricFiles } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { noRuns } from '../../fakes/noRuns.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { sharedByTests } from '../../fakes/sharedByTests.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-07-01')
const [aaa, bbb] = ['perpetual-AAA-USDT:USDT', 'perpetual-BBB-USDT:USDT']
const signal = new AbortController().signal
const options = { signal, progress: () => undefined }
const instrument = (dataset: string, symbol: string) => ({
  ...{ connectionId: 'sandbox', kind: 'metrics' as const, dataset, exchange: 'some-venue', symbol },
  ...{ interval: '1h', timestamp: 'exchange' },
})
const column = (dataset: string, name: string, symbol = aaa) => ({
  ...{ series: instrument(dataset, symbol), timestamp: 'exchange' as const, column: name },
})

/** Hourly prices of two symbols; levels of one of them, known half an hour late; and events of all. */
const world = sharedByTests(async (ending) => {
  const dataDir = dataFolder(ending)
  const store = openTestStore(dataDir, ending)
  const hours = Array.from({ length: 48 }, (_, hour) => hour)
  for (const symbol of [aaa, bbb]) {
    const rows = hours.map((hour) => ({ time: START + hour * HOUR, close: 100 + hour }))
    const place = { exchange: 'some-venue', symbol, interval: '1h' }
    addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...place, columns: ['close'], rows }, ['2026-07'])
  }
  const own = createOwnData({ store, clock: fakeClock(), bus: createEventBus(() => {}), ledger: noRuns })
  const series = createSeriesService(store, fakeClock())
  ending(async () => {
    await own.close()
    await series.close()
  })
  const [levels, events] = [join(dataDir, 'levels.csv'), join(dataDir, 'events.csv')]
  const lines = hours.filter((hour) => hour !== 10).map((hour) => `${START + hour * HOUR},AAA,${hour * hour}`)
  writeFileSync(levels, ['time,symbol,level', ...lines].join('\n'))
  writeFileSync(events, 'time,what\n2026-07-01T05:10Z,first\n2026-07-01T05:20Z,second\n2026-07-02T10:00Z,third\n')
  const choices = { events: false, knownAfter: '30m', units: { level: 'quote' } }
  await own.add({ name: 'levels', ...choices }, [levels], options)
  await own.add({ name: 'news', ...choices, events: true, units: {}, label: 'what' }, [events], options)
  return series
})
const range = { startMs: START, endMs: START + 48 * HOUR }

test('a scan of own data has the last row that was known, for every instrument that it stands beside', async () => {
  const scan = (endMs: number) =>
    world().scan(
      {
        ...{
          series: instrument('own_levels', ''),
          column: 'level',
          way: 'moment',
          sparkPoints: 0,
          startMs: START,
          endMs,
        },
        formulas: [
          { name: 'events', formula: 'sum(events(own_news), 48)' },
          { name: 'double', formula: '2 * own_levels.level' },
        ],
      },
      signal,
      () => undefined,
    )
  const { frame, unit } = await scan(START + 20 * HOUR)
  const cells = (name: string) => Array.from({ length: frame.rows }, (_, row) => cellOf(columnOf(frame, name)!, row))
  expect(cells('symbol')).toEqual([aaa])
  // The row of 19:00 is known at 20:30.
  expect(cells('value')).toEqual([18 ** 2])
  expect(cells('formula0.value')).toEqual([2])
  expect(cells('formula1.value')).toEqual([2 * 18 ** 2])
  expect(unit).toBe('quote')
})

test('relationships read own data as it was known, in its unit', async () => {
  const answer = await world().relationships(
    {
      inputs: { a: column('own_levels', 'level'), b: column('ohlcv', 'close') },
      formulas: [
        { name: 'levels', formula: 'a' },
        { name: 'price', formula: 'b' },
      ],
      ...{ x: 1, y: 0, compare: 'values', windowRows: 10, lags: 2, pairs: 100, points: 100, originMs: null, ...range },
    },
    signal,
  )
  expect(answer.problem).toBeNull()
  expect(answer.series[0]).toMatchObject({ unit: 'quote' })
  const [, x, y] = answer.pairs.frame.columns.map(({ values }) => Array.from(values))
  // At the end of the row of 20:00 the last known level is that of 19:00.
  expect(y[x.indexOf(120)]).toBe(19 ** 2)
})

test('statistics and lines have rows at their own times where a chart draws them so, else where they were known', async () => {
  const a = column('own_levels', 'level')
  const request = { formula: 'a', other: null, atLongerInterval: false, originMs: null, ...range }
  const drawn = await world().statistics({ ...request, inputs: { a: { ...a, atLabel: true } } }, signal)
  expect(drawn).toMatchObject({ rows: 48, missing: 1, first: 0, last: 47 ** 2, unit: 'quote' })
  const known = await world().statistics({ ...request, inputs: { a } }, signal)
  expect(known).toMatchObject({ last: 46 ** 2 })
})

test('events are flags with their labels, moved where they are to stand when they were known', async () => {
  const flags = async (asKnown: boolean, points = 2000) => {
    const found = await world().overview(
      { ...column('own_news', 'events()'), columns: ['events()'], points, asKnown, ...range },
      signal,
    )
    const { times, texts } = flagsIn(found.points)!
    return texts.map((text, at) => [new Date(times[at]).toISOString().slice(8, 16), text])
  }
  expect(await flags(false)).toEqual([
    ['01T05:10', 'first'],
    ['01T05:20', 'second'],
    ['02T10:00', 'third'],
  ])
  expect(await flags(true)).toEqual([
    ['01T05:40', 'first'],
    ['01T05:50', 'second'],
    ['02T10:30', 'third'],
  ])
  expect(await flags(false, 48)).toEqual([
    ['01T05:10', 'first (+1)'],
    ['02T10:00', 'third'],
  ])
})
