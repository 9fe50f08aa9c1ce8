import { expect, test } from 'vitest'
import { columnOf } from '#shared/contract/frame.ts'
import { MS_PER_HOUR } from '#shared/time.ts'
import { expandEntry } from '#shared/workspace/expandFormula.ts'
import { addFundingEvents, addMetricFiles } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'
import { openTestSeries } from '../../fakes/openTestSeries.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const BTC = { exchange: 'alpha-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const DAY = Date.UTC(2026, 7, 1)
const hour = (hours: number) => DAY + hours * MS_PER_HOUR

/** A day of hourly rates 1, 2, 3 …, and raw events that show funding every four hours from 4:00 to 16:00. */
function market() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const desk = openTestSeries(store)
  const rows = Array.from({ length: 24 }, (_, at) => ({ time: hour(at), funding_rate: at + 1 }))
  addMetricFiles(store, dataDir, { ...BTC, dataset: 'funding', interval: '1h', columns: ['funding_rate'], rows }, [
    '2026-08-01',
  ])
  addFundingEvents(
    store,
    dataDir,
    BTC,
    '2026-08-01',
    [4, 8, 12, 16].map((at) => ({ published: hour(at - 4), rate: 0, next: hour(at) })),
  )
  const source = { kind: 'column', dataset: 'funding', column: 'funding_rate', ...BTC, interval: '1h' } as const
  const series = { connectionId: 'sandbox', kind: 'metrics', dataset: 'funding', ...BTC, interval: '1h' } as const
  const input = { series: { ...series, timestamp: 'exchange' }, timestamp: 'exchange', column: 'funding_rate' } as const
  const ask = async (formula: string, range: { startMs: number | null; endMs: number | null } = allTime) => {
    const request = { formula, inputs: { a: input }, originMs: null, ...range, points: 500 }
    const { points, ...rest } = await desk.evaluate(request, new AbortController().signal)
    const column = columnOf(points.frame, 'value')!
    const cells = Array.from(column.values, (value, row) => (column.valid?.[row] === 0 ? null : value))
    return { cells, ...rest }
  }
  return { store, ask, source }
}
const allTime = { startMs: null, endMs: null }

test('formulas go by what raw events show, and name the instrument where nothing is known', async () => {
  const { ask } = market()
  const { cells, unknownFunding, notes, problem } = await ask('fundinghours() + 0 * a')
  expect(problem).toBeNull()
  expect(cells).toEqual(Array.from({ length: 24 }, (_, at) => (at >= 4 && at < 16 ? 4 : null)))
  expect(unknownFunding).toEqual([BTC])
  expect(notes).toEqual([expect.stringContaining(`the funding period of ${BTC.symbol} on alpha-futures is not known`)])
})

test('a typed period fills the gaps, and the paid rate is the last one before each funding time', async () => {
  const { ask, store } = market()
  store.fundingDefaults.set({ exchange: BTC.exchange, symbol: null, every: '8h' })
  const { cells, unknownFunding } = await ask('settled(a)')
  const paid = Array.from({ length: 24 }, (_, at) => ([3, 7, 11, 15, 23].includes(at) ? at + 1 : null))
  expect(cells).toEqual(paid)
  expect(unknownFunding).toEqual([])
  const sums = await ask('cumsum(-settled(a))')
  expect(sums.cells[23]).toBe(-(4 + 8 + 12 + 16 + 24))
  // A part of the day gives the same numbers, although the rates before it are needed.
  expect((await ask('settled(a)', { startMs: hour(7), endMs: hour(12) })).cells).toEqual(paid.slice(7, 12))
})

test('a chart in “% a year” shows the annual rate by the period at each time', async () => {
  const { ask, store, source } = market()
  store.instruments.replace([
    instrumentRow({ ...BTC, funding_every: '8h', funding_rate_per: '8h' }),
    instrumentRow({ ...BTC, valid_from: '2026-08-01T16:00Z', funding_every: '1h', funding_rate_per: '1h' }),
  ])
  const expanded = expandEntry(
    {
      name: 'a',
      source: { ...source, timestamp: 'exchange', resampleTo: '', origin: 'service' },
      transform: 'none',
      unit: 'annual',
    },
    [],
  )
  const { cells, unit } = await ask('formula' in expanded ? expanded.formula : '')
  expect(unit).toBe('1/year')
  // Raw events show how often it is paid; the published rate still refers to eight hours.
  expect(cells).toEqual(Array.from({ length: 24 }, (_, at) => (at + 1) * (at < 16 ? 1095 : 8760)))
})
