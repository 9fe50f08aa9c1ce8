import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { openStore } from '#core/store/store.ts'
import { createLocalApiAnswers } from '../../../electron/localApi/answers.ts'
import { createTools } from '../../../electron/mcp/tools.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'

const [TNSR, SOL, SOL_USDC] = ['TNSR-USDT', 'SOL-USDT', 'SOL-USDC'].map(
  (pair) => `perpetual-${pair}:${pair.split('-')[1]}`,
)
const signal = new AbortController().signal
const range = { interval: '1h', start: '2026-08-01', end: '2026-08-01' }
const place = { exchange: 'venuea-futures', ...range }

function startAnswers() {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const add = (symbol: string, exchange = 'venuea-futures') =>
    addCachedFile(
      store,
      dataDir,
      flowSeries({ interval: '1h', symbol, exchange }),
      '2026-08-01',
      hourlyColumns('2026-08-01'),
    )
  for (const symbol of [TNSR, SOL, SOL_USDC, 'odd.']) add(symbol)
  add('perpetual-ENJ-USDT:USDT', 'venueb-perps')
  store.close()
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir })
  onTestFinished(() => app.close())
  const connectionId = flowSeries({}).connectionId
  const answers = createLocalApiAnswers(app, '1.0.0', connectionId)
  const client = app.clientFor(fakeHost())
  const tools = createTools({ answers, client, connectionId, dataDir, allowDownloads: false })
  const call = async (name: string, input: object) => {
    const tool = tools.find((each) => each.name === name)!
    return JSON.parse(await tool.call(input, signal)) as { data: unknown; provenance: { request?: object } }
  }
  return { call }
}

test('a short name stands for the one cached symbol that it means, in every tool and call that takes a symbol', async () => {
  const { call } = startAnswers()
  for (const symbol of ['TNSR', 'tnsr perp', 'TNSR-USDT', 'TNSR@venuea']) {
    const { data, provenance } = await call('read_series', { dataset: 'flow', ...place, symbol })
    expect([symbol, data]).toEqual([symbol, expect.objectContaining({ length: 24 })])
    expect(provenance.request).toMatchObject({ symbol: TNSR })
  }
  for (const as of ['values', 'summary', 'chart']) {
    const { provenance } = await call('formula', { formula: 'flow.value', ...place, symbol: 'tnsr', as })
    expect([as, provenance.request]).toEqual([as, expect.objectContaining({ symbol: TNSR })])
  }
  const sources = await call('read_series', { dataset: 'flow', ...place, symbol: 'tnsr', as: 'sources' })
  expect(sources.data).toMatchObject({ rows: 24 })
  expect((await call('read_series', { dataset: 'flow', ...place, symbol: 'odd.' })).data).toHaveLength(24)
  const listed = await call('coverage', { symbol: 'sol' })
  expect(listed.data).toMatchObject({ series: [{ symbol: SOL_USDC }, { symbol: SOL }] })
})

test('a name that means several cached symbols or none is refused with the full names that it may mean', async () => {
  const { call } = startAnswers()
  const reading = (symbol: string, more: object = {}) =>
    call('read_series', { dataset: 'flow', ...place, symbol, ...more })
  await expect(reading('SOL')).rejects.toMatchObject({
    code: 'bad-input',
    detail: `“SOL” on venuea-futures is one of ${SOL}, ${SOL_USDC}. Write the one that is meant.`,
  })
  const nothing = (detail: string) => ({ code: 'not-here', detail })
  await expect(reading('TNSS')).rejects.toMatchObject(
    nothing(`No flow of a symbol “TNSS” on venuea-futures is in the cache. Did you mean ${TNSR}?`),
  )
  await expect(reading('enj')).rejects.toMatchObject(
    nothing(
      'No flow of a symbol “enj” on venuea-futures is in the cache. Other venues have it: perpetual-ENJ-USDT:USDT on venueb-perps.',
    ),
  )
  await expect(reading('XYZXYZ')).rejects.toMatchObject(
    nothing(
      `No flow of a symbol “XYZXYZ” on venuea-futures is in the cache. Cached: odd., ${SOL_USDC}, ${SOL}, ${TNSR}.`,
    ),
  )
})
