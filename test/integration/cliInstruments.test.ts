import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliSession } from '../fakes/cliSession.ts'
import { instrumentRow } from '../fakes/instrumentRow.ts'
import { openTestStore } from '../fakes/openTestStore.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const pair = { exchange: 'alpha-futures', symbol: BTC }

async function openSession() {
  const session = await cliSession()
  const file = (name: string, text: string) => {
    const path = join(session.dataDir, name)
    writeFileSync(path, text)
    return path
  }
  const list = async () => JSON.parse((await session.runHere(['instruments', 'list', '--json'])).stdout) as unknown
  return { ...session, file, list }
}

test('instruments import reads dated rows from JSON, which list prints, and says which row stands', async () => {
  const { runHere, file, list } = await openSession()
  const rows = [
    instrumentRow({ ...pair, contract_size: 0.01, funding_every: '8h', funding_offset: '4h', native: 'BTCUSDT' }),
    instrumentRow({ ...pair, valid_from: '2026-08-01', contract_size: 0.1, funding_every: '1h', funding_offset: '0h' }),
  ]
  const path = file('instruments.json', JSON.stringify([...rows, { ...rows[1], contract_size: 0.2 }]))
  const imported = await runHere(['instruments', 'import', path])
  expect(imported).toMatchObject({ status: 0, stdout: '2 rows\n' })
  expect(imported.stderr).toContain(
    `item 3 stands instead of item 2: both describe alpha-futures ${BTC} from 2026-08-01`,
  )
  const all = [rows[0], { ...rows[1], contract_size: 0.2 }]
  expect(await list()).toEqual(all)
  const table = (await runHere(['instruments', 'list'])).stdout
  expect(table).toMatch(/^EXCHANGE +SYMBOL +VALID_FROM +CONTRACT_SIZE +FUNDING_EVERY +FUNDING_OFFSET +NATIVE\n/)

  const printed = file('again.json', (await runHere(['instruments', 'list', '--json'])).stdout)
  const again = await runHere(['instruments', 'import', printed, '--json'])
  expect(JSON.parse(again.stdout)).toEqual({ imported: 2, warnings: [] })
  expect(await list()).toEqual(all)

  const other = instrumentRow({ exchange: 'beta-perps', symbol: BTC, contract_size: 1 })
  const bad = [other, { ...rows[0], valid_from: '2026-09-01', funding_every: '4h' }]
  const refused = await runHere(['instruments', 'import', file('bad.json', JSON.stringify(bad))])
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toContain('item 2: funding_offset “4h” is not shorter than the period “4h”')
  expect(await list()).toEqual(all)
})

test('instruments import keeps the rows of a mistyped venue, and names the one that is meant', async () => {
  const { runHere, file, list } = await openSession()
  const rows = ['venueb-prep', 'venueb-perps', 'venueb-prep'].map((exchange, at) =>
    instrumentRow({ exchange, symbol: BTC.replace('BTC', `B${at}`), contract_size: 1 }),
  )
  const { status, stderr } = await runHere(['instruments', 'import', file('typo.json', JSON.stringify(rows))])
  expect(status, stderr).toBe(0)
  expect(stderr.match(/is not among/g), stderr).toHaveLength(1)
  expect(stderr).toContain('“venueb-prep” is not among the venues of a connection. Did you mean venueb-perps?')
  expect(await list()).toHaveLength(3)
})

test('plans of fetch and of a set skip the days outside the listing of a symbol, and count them', async () => {
  const { runHere, file } = await openSession()
  const csv = `exchange,symbol,listed,delisted\nvenuea-futures,${BTC},2026-09-02,2026-09-03\n`
  await runHere(['instruments', 'import', file('instruments.csv', csv)])
  const series = ['--dataset', 'vtwap', '--exchange', 'venuea-futures', '--symbol', BTC]
  const clock = ['--interval', '1h', '--timestamp', 'exchange']
  const plan = async (...args: string[]) => {
    const { lines, stderr } = await runHere(['fetch', ...args, '--json'])
    const { summary } = lines.at(-1) as { summary: Record<string, number> }
    return { periods: lines.slice(0, -1).map(({ period }) => period), summary, stderr }
  }
  const range = [...series, ...clock, '--start', '2026-09-01', '--end', '2026-09-05']
  for (const more of [['--dry-run'], []]) {
    const planned = await plan(...range, ...more)
    expect(planned.periods.toSorted()).toEqual(['2026-09-02', '2026-09-03'])
    expect(planned.summary).toMatchObject({ files: 2, outsideListing: 3 })
    expect(planned.stderr).toContain('Left out 3 files outside the days on which the symbol was listed')
  }
  const before = await plan(...series, ...clock, '--start', '2026-08-28', '--end', '2026-09-01', '--dry-run')
  expect(before).toMatchObject({ periods: [], summary: { files: 0, outsideListing: 5 } })
  expect(before.stderr).not.toContain('in the future')
  await runHere(['set', 'save', 'morning', ...series, ...clock, '--start', '2026-08-30'])
  const ofSet = await plan('--set', 'morning', '--dry-run')
  expect(ofSet.periods).toEqual(['2026-09-02', '2026-09-03'])
  expect(ofSet.summary.outsideListing).toBeGreaterThan(3)
})

test('funding set types a period for a symbol or a venue, and unknown removes it', async () => {
  const { runHere, dataDir } = await openSession()
  const typed = () => openTestStore(dataDir).fundingDefaults.list()
  const set = async (...args: string[]) => runHere(['funding', 'set', '--exchange', 'alpha-futures', ...args])
  const ofVenue = await set('--every', '8h')
  expect(ofVenue).toMatchObject({ status: 0 })
  expect(ofVenue.stdout).toContain('Funding of all symbols of alpha-futures: every 8h')
  const ofSymbol = await set('--symbol', BTC, '--every', '30m', '--json')
  expect(JSON.parse(ofSymbol.stdout)).toEqual({ ...pair, every: '30m' })
  const venue = { exchange: 'alpha-futures', symbol: null, every: '8h' }
  expect(typed()).toEqual([venue, { ...pair, every: '30m' }])
  for (const every of ['0h', '25h', '8', 'daily', '-1h', '1.5h']) {
    const refused = await set(`--every=${every}`)
    expect(refused, every).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr, every).toMatch(new RegExp(`--every: “${every}” is (not|longer)`))
  }
  const removed = await set('--symbol', BTC, '--every', 'unknown')
  expect(removed.stdout).toContain(`is typed for ${BTC} on alpha-futures. That of the venue, 8h, applies.`)
  expect(typed()).toEqual([venue])
  expect(JSON.parse((await set('--every', 'unknown', '--json')).stdout)).toEqual({ ...venue, every: null })
  expect(typed()).toEqual([])
})

test('funding list prints what is known with its basis, of the chosen instruments', async () => {
  const { runHere, file } = await openSession()
  const eth = { exchange: 'beta-perps', symbol: 'perpetual-ETH-USDT:USDT' }
  const rows = [
    instrumentRow({ ...pair, funding_every: '8h', funding_offset: '4h', funding_rate_per: '8h' }),
    instrumentRow({ ...pair, valid_from: '2026-08-01', funding_every: '1h', funding_offset: '0h' }),
    instrumentRow({ ...pair, valid_from: '2026-09-01' }),
    instrumentRow({ ...eth, funding_every: '4h' }),
  ]
  const path = file('instruments.json', JSON.stringify(rows))
  expect((await runHere(['instruments', 'import', path])).status).toBe(0)
  const list = async (...args: string[]) =>
    JSON.parse((await runHere(['funding', 'list', '--json', ...args])).stdout) as { periods: object[] }
  const hours = (every: number, offset: number, per = every) => ({
    every_hours: every,
    offset_hours: offset,
    rate_per_hours: per,
    basis: 'announced',
  })
  expect(await list('--exchange', 'alpha-futures')).toEqual({
    version: 1,
    periods: [
      { ...pair, from: null, to: '2026-08-01T00:00:00.000Z', ...hours(8, 4) },
      { ...pair, from: '2026-08-01T00:00:00.000Z', to: '2026-09-01T00:00:00.000Z', ...hours(1, 0, 8) },
    ],
    conflicts: [],
  })
  expect((await list('--symbol', eth.symbol)).periods).toEqual([{ ...eth, from: null, to: null, ...hours(4, 0) }])
  expect((await list()).periods).toHaveLength(3)
  const table = (await runHere(['funding', 'list', '--symbol', eth.symbol])).stdout
  expect(table).toMatch(
    /^VENUE +SYMBOL +FROM +TO +EVERY \(h\) +OFFSET \(h\) +RATE PER \(h\) +BASIS\nbeta-perps .* – +– +4 +0 +4 +announced\n$/,
  )
})
