import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RanCheck } from '#shared/contract/areas/inbox.ts'
import { createApp } from '#core/app.ts'
import { createCheckService } from '#core/record/checkService.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'
import { runInProcess } from '../../fakes/runInProcess.ts'

it('runs checks, tells hits from silence and from what cannot be evaluated, and keeps each finding once', async () => {
  const dataDir = dataFolder()
  const series = flowSeries({ dataset: 'ohlcv', interval: '1h' })
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, series, '2026-08-01')
  store.close()
  const perpscope = async (...args: string[]) => {
    let [stdout, stderr] = ['', '']
    const status = await run([...args, '--data-dir', dataDir, '--offline', '--json'], {
      stdout: { write: (text) => (stdout += String(text)) },
      stderr: { write: (text) => (stderr += String(text)) },
      env: {},
      signal: new AbortController().signal,
    })
    return { status, stderr, json: stdout === '' ? null : (JSON.parse(stdout) as unknown) }
  }
  const seriesArgs = [
    '--exchange',
    series.exchange,
    '--symbol',
    series.symbol,
    '--interval',
    '1h',
    '--timestamp',
    'exchange',
  ]
  const check = (name: string, formula: string) => perpscope('check', 'save', name, '--formula', formula, ...seriesArgs)

  expect(await perpscope('check', 'run')).toMatchObject({ status: 0, json: { checks: [] } })
  expect((await check('high', 'ohlcv.value > 20')).status).toBe(0)
  await check('low', 'ohlcv.value < 20')
  const time = Date.UTC(2026, 7, 1, 23)
  const compared = { value: 23, operator: '>', bound: 20, column: 'ohlcv.value' }
  const high = { name: 'high', state: 'hit', value: 1, time, rows: null, why: null, compared }
  const low = { name: 'low', state: 'quiet', value: 0, time, rows: null, why: null }
  expect(await perpscope('check', 'run')).toMatchObject({ status: 4, json: { checks: [high, low] } })
  expect(await perpscope('check', 'run', 'low')).toMatchObject({ status: 0, json: { checks: [low] } })

  const misspelt = await check('misspelt', 'smaa(ohlcv.value, 5) > 20')
  expect([misspelt.status, misspelt.stderr]).toEqual([2, expect.stringContaining('There is no function smaa')])
  expect((await check('short', 'sma(ohlcv.value) > 20')).stderr).toContain('Write sma as')

  // What is negated compares no number with the column.
  await check('negated', 'not (ohlcv.value < 20)')
  const negated = (await perpscope('check', 'run', 'negated')).json as { checks: object[] }
  expect(negated.checks).toEqual([{ name: 'negated', state: 'hit', value: 1, time, rows: null, why: null }])
  await perpscope('check', 'remove', 'negated')

  await check('elsewhere', 'funding.funding_rate > 0')
  await perpscope('check', 'save', 'rows', '--sql', 'SELECT 1 FROM metrics.ohlcv')
  await perpscope('check', 'save', 'typo', '--sql', 'SELECT nope FROM metrics.ohlcv')
  const { status, json } = await perpscope('check', 'run')
  const checks = (json as { checks: { name: string; state: string; rows: number | null; why: string | null }[] }).checks
  expect([status, checks.map(({ name, state, rows }) => [name, state, rows])]).toEqual([
    3,
    [
      ['elsewhere', 'not evaluable', null],
      ['high', 'hit', null],
      ['low', 'quiet', null],
      ['rows', 'hit', 24],
      ['typo', 'not evaluable', null],
    ],
  ])
  const states = checks.map(({ name, state }) => [name, state])
  const kept = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  expect(kept.checks.list().map((each) => [each.name, kept.checks.lastRun(each)?.state])).toEqual(states)
  kept.close()
  expect(checks[0].why).toContain('No rows of funding.funding_rate')
  // DuckDB's message of two lines is joined into one.
  expect(checks[4].why).toMatch(/nope.*Candidate bindings.*Line 1, column 8/)

  const inbox = (await perpscope('inbox', 'list')).json as { id: number; check: string }[]
  expect(inbox.map((entry) => entry.check)).toEqual(['typo', 'rows', 'elsewhere', 'negated', 'high'])
  expect((await perpscope('inbox', 'read', String(inbox[4].id))).json).toMatchObject({
    readAt: expect.any(Number) as number,
  })
  expect((await perpscope('inbox', 'snooze', String(inbox[1].id), '--until', '2030-01-01')).json).toMatchObject({
    snoozedUntil: Date.UTC(2030, 0),
  })
  for (const [until, why] of [
    ['2020-01-01', '--until must be in the future: 2020-01-01 00:00'],
    ['2020-01-01T08:00', '2020-01-01 08:00'],
    ['2030-01-01 soon', '2030-01-01 soon'],
  ]) {
    const past = await perpscope('inbox', 'snooze', String(inbox[1].id), '--until', until)
    expect([past.status, past.stderr], until).toEqual([2, expect.stringContaining(why)])
  }
  expect((await perpscope('inbox', 'read', '99')).status).toBe(1)
  expect((await perpscope('check', 'save', 'bad', '--formula', 'ohlcv.value >', ...seriesArgs)).status).toBe(2)
  expect((await perpscope('check', 'save', 'bad', '--sql', 'SELECT 1', '--interval', '1h')).status).toBe(2)
  const wide = [...seriesArgs]
  wide[wide.indexOf('--symbol') + 1] = 'all'
  expect((await perpscope('check', 'save', 'wide', '--formula', 'ohlcv.value > 1', ...wide)).json).toMatchObject({
    symbol: '*',
  })
  await perpscope('check', 'remove', 'wide')
  writeFileSync(join(dataDir, 'alarms.json'), '{"alarms":')
  for (const command of ['check list', 'check run', 'inbox list'])
    expect((await perpscope(...command.split(' '))).stderr).toContain(
      'is damaged (it is not JSON), so that no alarm sounds',
    )
  rmSync(join(dataDir, 'alarms.json'))
  expect((await perpscope('check', 'list')).stderr).not.toContain('alarm')
  expect((await perpscope('check', 'remove', 'typo')).status).toBe(0)
  expect((await perpscope('check', 'run', 'typo')).status).toBe(1)
})

it('saves a check from a window, in the place of another where asked, and overwrites none by accident', async () => {
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const rule = { kind: 'sql' as const, sql: 'SELECT 1' }
  const save = (name: string, replaces: string | null = null, connectionId = 'sandbox') =>
    client.call('inbox.saveCheck', { name, rule, replaces, connectionId })
  await save(' hot ')
  await save('cold')
  await expect(save('hot')).rejects.toMatchObject({ code: 'conflict' })
  await expect(save('hot', 'cold')).rejects.toMatchObject({ code: 'conflict' })
  await save('warm', 'cold', 'elsewhere')
  await save('hot', 'hot')
  expect(app.checks.list()).toEqual(['hot', 'warm'].map((name) => ({ name, rule, connectionId: 'sandbox' })))
  const formula = { formula: 'funding.funding_rate >', exchange: 'a', symbol: 'b', interval: '1h' }
  const broken = { kind: 'formula' as const, timestamp: 'exchange' as const, ...formula }
  await expect(
    client.call('inbox.saveCheck', { name: 'broken', rule: broken, replaces: null, connectionId: 'sandbox' }),
  ).rejects.toMatchObject({ code: 'bad-input' })
})

it('saves the full symbol of a short name, from window and command line, and refuses a name that has none', async () => {
  const dataDir = dataFolder()
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir })
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const symbols = ['BTC-USDT:USDT', 'ETH-USDT:USDT', 'SOL-USDC:USDC', 'SOL-USDT:USDT'].map(
    (pair) => `perpetual-${pair}`,
  )
  const about = { generatedAtMs: null, fetchedAtMs: 1, source: 'a test' }
  const document = { connectionId: 'sandbox', name: 'symbols/venuea-futures', body: '[]', ...about }
  store.coverage.replaceSymbols(document, 'venuea-futures', symbols)
  onTestFinished(() => {
    store.close()
    return app.close()
  })
  const client = app.clientFor(fakeHost())
  const save = (symbol: string, exchange = 'venuea-futures') => {
    const where = { exchange, symbol, interval: '1h', timestamp: 'exchange' as const }
    const rule = { kind: 'formula' as const, formula: 'ohlcv.close > 1', ...where }
    return client.call('inbox.saveCheck', { name: 'hot', rule, replaces: 'hot', connectionId: 'sandbox' })
  }
  const savedSymbol = () => app.checks.list().map(({ rule }) => rule.kind === 'formula' && rule.symbol)
  await save('ETH')
  expect(savedSymbol()).toEqual(['perpetual-ETH-USDT:USDT'])
  await expect(save('sol')).rejects.toMatchObject({ detail: expect.stringMatching(/SOL-USDT:USDT or SOL-USDC:USDC/) })
  await expect(save('ETJ')).rejects.toMatchObject({ detail: expect.stringMatching(/Did you mean ETH-USDT:USDT/) })
  await expect(save('perpetual-ETJ-USDT:USDT')).rejects.toMatchObject({ code: 'bad-input' })
  await expect(save('ETH', 'venueb-perps')).rejects.toMatchObject({ code: 'bad-input' })
  expect(savedSymbol()).toEqual(['perpetual-ETH-USDT:USDT'])

  const saveByCommand = async (symbol: string) => {
    let stderr = ''
    const given = [
      '--formula',
      'ohlcv.close > 1',
      '--exchange',
      'venuea-futures',
      '--interval',
      '1h',
      '--timestamp',
      'true',
    ]
    const args = ['check', 'save', 'cold', '--symbol', symbol, ...given, '--data-dir', dataDir, '--offline', '--json']
    const status = await run(args, {
      stdout: { write: () => true },
      stderr: { write: (text) => (stderr += String(text)) },
      env: {},
      signal: new AbortController().signal,
    })
    return { status, stderr }
  }
  expect(await saveByCommand('btc perp')).toMatchObject({ status: 0 })
  expect(savedSymbol()).toEqual(['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT'])
  expect(await saveByCommand('ETJ')).toMatchObject({ status: 2, stderr: expect.stringContaining('ETH-USDT:USDT') })
})

it('ends a query that never ends, says so, and runs the checks after it', async () => {
  const dataDir = dataFolder()
  const app = createApp(fakePorts(), { version: '0', dataDir })
  onTestFinished(() => app.close())
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  const endless = 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r'
  const save = (name: string, sql: string) =>
    store.checks.save({ name, rule: { kind: 'sql', sql }, connectionId: 'sandbox' })
  save('a', endless)
  save('b', 'SELECT 1')
  const series = createSeriesService(store, fakeClock())
  onTestFinished(() => series.close())
  const service = createCheckService({ store, series, sql: await app.sql(), queryMs: 5000 })
  const ran = await service.run(null, new AbortController().signal)
  expect(ran.map(({ name, state }) => [name, state])).toEqual([
    ['a', 'not evaluable'],
    ['b', 'hit'],
  ])
  expect(ran[0].why).toContain('The query took longer than 5 s and was stopped.')
})

it('tells before a check is saved how often it would have hit', async () => {
  const dataDir = dataFolder()
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir })
  const { exchange, symbol, connectionId } = flowSeries({ dataset: 'ohlcv', interval: '1h' })
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  addCachedFile(store, dataDir, flowSeries({ dataset: 'ohlcv', interval: '1h' }), '2026-08-01')
  store.close()
  onTestFinished(() => app.close())
  const ask = (formula: string) => {
    const rule = { kind: 'formula' as const, formula, exchange, symbol, interval: '1h', timestamp: 'exchange' as const }
    return app.clientFor(fakeHost()).call('inbox.history', { rule, connectionId })
  }
  const high = await ask('ohlcv.value > 20')
  const { bars, known } = high.past[0]
  expect(high.why).toBeNull()
  expect(high.past.map(({ days, hits }) => [days, hits])).toEqual([
    [30, 1],
    [90, 1],
  ])
  expect([bars, known]).toEqual([high.values.filter((value) => value > 20).length, 24])
  expect((await ask('funding.funding_rate > 0')).why).toContain('Not all of its columns are cached')

  // A check that names no connection is of the one in use.
  const client = app.clientFor(fakeHost())
  const rule = { kind: 'formula' as const, formula: 'ohlcv.value > 20', exchange, symbol, interval: '1h' }
  const check = { name: 'mine', rule: { ...rule, timestamp: 'exchange' as const }, connectionId: '', replaces: null }
  await client.call('inbox.saveCheck', check)
  expect(await client.call('inbox.run', {})).toMatchObject([{ name: 'mine', state: 'hit' }])
})

it('watches a whole list, venue or cache: hits at one symbol and names it, counts the past of all', async () => {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const symbols = ['AAA', 'BBB'].map((base) => `perpetual-${base}-USDT:USDT`)
  const place = (symbol: string, exchange = 'venuea-futures') =>
    flowSeries({ dataset: 'ohlcv', interval: '1h', symbol, exchange })
  addCachedFile(store, dataDir, place(symbols[0]), '2026-08-01', hourlyColumns('2026-08-01'))
  addCachedFile(store, dataDir, place(symbols[1]), '2026-08-01', hourlyColumns('2026-08-01', 1000))
  addCachedFile(store, dataDir, place(symbols[1], 'venueb-perps'), '2026-08-01', hourlyColumns('2026-08-01', 2000))
  store.close()
  const perpscope = (...args: string[]) => runInProcess(dataDir, ...args, '--offline', '--json')
  const rule = ['--formula', 'ohlcv.value > 1000', '--interval', '1h', '--timestamp', 'exchange']
  const list = join(dataDir, 'lists.csv')
  writeFileSync(list, `list,exchange,symbol\nmine,venuea-futures,${symbols[0]}\nmine,venuea-futures,${symbols[1]}\n`)
  await perpscope('lists', 'import', list)
  expect(await perpscope('check', 'save', 'list', ...rule, '--list', 'mine')).toMatchObject({ status: 0 })
  await perpscope('check', 'save', 'venue', ...rule, '--exchange', 'venuea-futures', '--symbol', '*')
  await perpscope('check', 'save', 'all', ...rule, '--exchange', '*', '--symbol', '*')
  await perpscope('check', 'save', 'quiet', ...rule.with(1, 'ohlcv.value > 1e6'), '--exchange', '*', '--symbol', '*')
  const { checks } = JSON.parse((await perpscope('check', 'run')).stdout) as { checks: RanCheck[] }
  expect(checks.map(({ name, state, found }) => [name, state, found])).toEqual([
    ['all', 'hit', { hits: 2, symbols: 3, names: ['BBB-USDT:USDT@venuea-futures', 'BBB-USDT:USDT@venueb-perps'] }],
    ['list', 'hit', { hits: 1, symbols: 2, names: ['BBB-USDT:USDT@venuea-futures'] }],
    ['quiet', 'quiet', { hits: 0, symbols: 3, names: [] }],
    ['venue', 'hit', { hits: 1, symbols: 2, names: ['BBB-USDT:USDT@venuea-futures'] }],
  ])
  const refused = await perpscope('check', 'save', 'none', ...rule, '--list', 'nosuch')
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('There is no list “nosuch”')])
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir })
  onTestFinished(() => app.close())
  const wide = { kind: 'formula', formula: 'ohlcv.value > 1000', exchange: '*', symbol: '*' } as const
  const { past } = await app
    .clientFor(fakeHost())
    .call('inbox.history', { rule: { ...wide, interval: '1h', timestamp: 'exchange' }, connectionId: 'sandbox' })
  expect(past[0]).toMatchObject({ hits: 2, known: 72 })
})
