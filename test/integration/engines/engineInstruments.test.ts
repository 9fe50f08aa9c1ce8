import { expect, it, onTestFinished } from 'vitest'
import type { CallInput } from '#shared/contract/calls.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { createApp } from '#core/app.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { enginePassword, engineUser, type FakeClickHouse, fakeClickHouse, refuse } from '../../fakes/fakeClickHouse.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

const noRows = { time: new Float64Array(), columns: new Map<string, Float64Array>() }

async function openWorld(answer: (sql: string) => string | null): Promise<{
  engine: FakeClickHouse
  list(raw: CallInput<'raw.engineInstruments'>['raw']): Promise<unknown>
}> {
  const app = createApp(fakePorts(), { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const engine = await fakeClickHouse([], noRows)
  engine.instead = ({ sql }, response) => {
    const text = answer(sql)
    if (text === null) refuse(response, 404, 60, 'Table does not exist')
    else response.end(text)
    return true
  }
  const server = { url: engine.url, user: engineUser, cluster: '', plainHttp: false }
  await client.call('connections.setEngine', { id: 'sandbox', server })
  await client.call('keys.set', { connectionId: 'sandbox', service: 'engine', key: enginePassword })
  return { engine, list: (raw) => client.call('raw.engineInstruments', { connectionId: 'sandbox', raw }) }
}

const database = { kind: 'database' as const, name: 'raw' }
const us = (day: string) => String(Date.parse(day) * 1000)

it('joins what the tables of a database have, of which some may be missing', async () => {
  const { list } = await openWorld((sql) => {
    if (sql.includes('raw.trades '))
      return `venueb-swap\tperpetual-ETH-USDT:USDT\t${us('2026-01-02T23:00Z')}\t${us('2026-01-05T01:00Z')}\n`
    if (sql.includes('raw.quotes '))
      return `venueb-swap\tperpetual-ETH-USDT:USDT\t${us('2025-12-31T00:00Z')}\t${us('2026-01-03T00:00Z')}\nvenuea-futures\tperpetual-龙-USDT:USDT\t${us('2026-01-01T00:00Z')}\t${us('2026-01-01T00:00Z')}\n`
    return null
  })
  const day = dayNumberOf
  const chinese = { exchange: 'venuea-futures', symbol: 'perpetual-龙-USDT:USDT', datasets: ['quotes'] }
  const ether = { exchange: 'venueb-swap', symbol: 'perpetual-ETH-USDT:USDT', datasets: ['trades', 'quotes'] }
  expect(await list(database)).toEqual({
    instruments: [
      { ...chinese, startDay: day('2026-01-01'), endDay: day('2026-01-02') },
      { ...ether, startDay: day('2025-12-31'), endDay: day('2026-01-06') },
    ],
    isCut: false,
  })
})

it('reads instruments and days from the names of files, and leaves out files that do not contain events', async () => {
  const { list, engine } = await openWorld(() =>
    [
      'trades\tvenuea-futures\tperpetual-BTC-USDT%3AUSDT\t2026-01\t2026-02-03',
      'trades\tvenuea-futures\tnot%2Fa%2Fsymbol\t2026-01-01\t2026-01-01',
      'ohlcv\tvenuea-futures\tperpetual-BTC-USDT%3AUSDT\t2026-01-01\t2026-01-01',
      '',
    ].join('\n'),
  )
  const place = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT', datasets: ['trades'] }
  expect(await list({ kind: 'folder', address: 's3://research/team data' })).toEqual({
    instruments: [{ ...place, startDay: dayNumberOf('2026-01-01'), endDay: dayNumberOf('2026-02-04') }],
    isCut: false,
  })
  expect(engine.statements[0].sql).toContain(
    "s3('s3://research/team%20data/dataset=*/exchange=*/symbol=*/*.parquet', 'One')",
  )
})

it('says that there is nothing, or no such table', async () => {
  const { list } = await openWorld(() => null)
  await expect(list(database)).rejects.toThrow('there is no such table or database')
  const { list: listEmpty } = await openWorld(() => '')
  await expect(listEmpty({ kind: 'folder', address: '/there' })).rejects.toThrow(
    'ClickHouse finds no raw events there.',
  )
})

it('lists at most 20,000 instruments, and says that there are more', async () => {
  const lines = Array.from({ length: 20_001 }, (_, i) => `venuea-futures\tperpetual-A${i}-USDT:USDT\t0\t0\n`)
  const { list } = await openWorld((sql) => (sql.includes('raw.trades ') ? lines.join('') : null))
  const { instruments, isCut } = (await list(database)) as { instruments: unknown[]; isCut: boolean }
  expect([instruments.length, isCut]).toEqual([20_000, true])
})
