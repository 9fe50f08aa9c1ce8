import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run as runCommand } from '../../electron/cli/run.ts'
import { cliSession } from '../fakes/cliSession.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { openTestStore } from '../fakes/openTestStore.ts'

const series = (changed: Record<string, string>) => {
  const names = {
    dataset: 'vtwap',
    exchange: 'venuea-futures',
    symbol: 'perpetual-BTC-USDT:USDT',
    interval: '1h',
    timestamp: 'exchange',
    ...changed,
  }
  return Object.entries(names).flatMap(([name, value]) => (value === '' ? [] : [`--${name}`, value]))
}
const days = ['--start', '2026-09-01', '--end', '2026-09-02']

test('names that mean nothing are refused with what may have been meant, before anything is queued', async () => {
  const { runHere: run } = await cliSession()
  for (const [changed, message] of [
    [{ dataset: 'vtwapp' }, 'Unknown dataset “vtwapp”. Did you mean “vtwap”?'],
    [{ interval: '1hr' }, 'Unknown interval “1hr”. Did you mean “1h”?'],
    [{ symbol: 'btc' }, '“btc” names 2 symbols: perpetual-BTC-USDT:USDT, perpetual-BTC-USD:BTC. Write one of them.'],
    [{ symbol: 'nothing-*' }, 'no known symbol matches “nothing-*”'],
    [{ symbol: 'perpetual-../../x-USDT:USDT' }, 'is not a symbol'],
  ] as const) {
    const { status, stdout, stderr } = await run(['fetch', ...series(changed), ...days])
    expect([status, stdout], stderr).toEqual([2, ''])
    expect(stderr).toContain(message)
  }
  // A venue that is not known may be new, so the service is asked, and refuses it in its own words.
  for (const command of [
    ['fetch', ...series({ exchange: 'venuea' }), ...days],
    ['symbols', '--exchange', 'venuea'],
  ]) {
    const { status, stdout, stderr } = await run(command)
    expect([status, stdout], stderr).toEqual([1, ''])
    expect(stderr).toContain('“venuea” is not among the venues of this connection. Did you mean venuea-futures?')
    expect(stderr).toContain('exchange must be one of venuea-futures')
  }
  const { status, stderr } = await run(['fetch', ...series({ symbol: 'perpetual-BTC-USD:USDT' }), ...days])
  expect([status, stderr]).toEqual([0, expect.stringContaining('Did you mean “perpetual-BTC-USDT:USDT”?')])
  const queue = await run(['queue', 'list', '--all', '--json'])
  expect(queue.lines[0]).toMatchObject({ counts: { failed: 0 } })
})

test('files that may not exist are neither counted nor queued, and what is left out is a number', async () => {
  const { runHere: run, sandbox } = await cliSession()
  await run(['connection', 'edit', 'desk', '--catalog', `${sandbox.url}/raw/catalog.json`])
  const plan = (...more: string[]) =>
    run(['fetch', ...series({}), '--start', '1900-01-01', '--end', '2026-09-02', '--dry-run', '--json', ...more])
  const listed = await plan()
  const { summary } = listed.lines.at(-1) as { summary: Record<string, number> }
  expect(listed.lines).toHaveLength(summary.files + 1)
  expect(summary).toMatchObject({ files: summary.toFetch, missing: summary.toFetch })
  expect(listed.stderr.replace(/[^\w\s]/g, '')).toContain(`Left out ${summary.leftOut} files that may not exist`)
  const all = (await plan('--try-locked')).lines.at(-1) as { summary: Record<string, number> }
  expect(all.summary.files).toBe(summary.files + summary.leftOut)
  expect(summary.leftOut).toBeGreaterThan(1000)
})

test('a future that the service lists is fetched, and no symbol is suggested in place of itself', async () => {
  const future = 'future-BTC-USDT:USDT-20261225'
  const { runHere: run, dataDir } = await cliSession()
  const service = await fakeService(({ url = '' }, response) =>
    sendJson(response, url.includes('symbols') ? { symbols: [future], exchange: 'venuea-futures' } : { files: [] }),
  )
  const { connections } = openTestStore(dataDir)
  connections.edit(connections.active().id, { metricsUrl: service.url })
  const listed = await run(['fetch', ...series({ symbol: future }), ...days, '--json'])
  expect([listed.status, listed.stderr]).toEqual([0, expect.not.stringContaining('Did you mean')])
  expect(listed.lines[0]).toMatchObject({ symbol: future, state: 'absent' })
  const unlisted = await run(['fetch', ...series({ symbol: 'future-BTC-USDT:USDT-20261226' }), ...days])
  expect([unlisted.status, unlisted.stderr]).toEqual([2, expect.stringContaining(`Did you mean “${future}”?`)])
})

test('a dataset that no document knows is fetched where the service lists it', async () => {
  const { runHere: run, sandbox } = await cliSession()
  sandbox.setFaults({ unknownDataset: true })
  const listed = (await run(['catalog', '--json'])).lines[0] as { datasets: { id: string }[] }
  const unknown = listed.datasets.at(-1)?.id ?? ''
  const { status, stderr, lines } = await run(['fetch', ...series({ dataset: unknown }), ...days, '--json'])
  expect([status, stderr]).toEqual([0, expect.any(String)])
  expect(lines[0]).toMatchObject({ dataset: unknown, state: 'downloaded' })
})

test('an error for series that are not in the cache lists those that are', async () => {
  const { runHere: run } = await cliSession()
  expect((await run(['fetch', ...series({}), ...days])).status).toBe(0)
  for (const [changed, message] of [
    [{ dataset: 'vtwa' }, 'no dataset “vtwa”. Did you mean “vtwap”?'],
    [{ exchange: 'venuea' }, 'no venue “venuea”. Did you mean “venuea-futures”?'],
    [
      { symbol: 'perpetual-BTX-USDT:USDT' },
      'no symbol “perpetual-BTX-USDT:USDT”. Did you mean “perpetual-BTC-USDT:USDT”?',
    ],
    [{ interval: '1m' }, 'no interval “1m”. Available: 1h.'],
    [{ timestamp: 'true' }, 'no timestamp “true”. Available: exchange.'],
  ] as const) {
    const { status, stdout, stderr } = await run(['read', ...series(changed), ...days])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  }
  const column = await run(['read', ...series({}), ...days, '--columns', 'vwapp'])
  expect([column.status, column.stderr]).toEqual([1, expect.stringContaining('did you mean “vwap”?')])
  expect((await run(['read', ...series({ interval: '' }), ...days])).status).toBe(2)
  const listed = await run(['ls', '--symbol', 'perpetual-BTX-USDT:USDT'])
  expect([listed.status, listed.stdout]).toEqual([0, ''])
  expect(listed.stderr).toContain('Did you mean “perpetual-BTC-USDT:USDT”?')
})

test('an export that cannot be written is refused before it begins', async () => {
  const { runHere: run, dataDir } = await cliSession()
  const folder = join(dataDir, 'here')
  mkdirSync(folder)
  writeFileSync(join(folder, 'file'), '')
  for (const [out, message] of [
    [folder, 'is a folder'],
    [join(folder, 'none', 'a.csv'), 'there is no folder'],
    [join(folder, 'file', 'a.csv'), 'is not a folder'],
  ]) {
    const { status, stderr } = await run(['export', ...series({}), '--format', 'csv', '--out', out])
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
  }
})

test('a range in the future has no files, and is reported', async () => {
  const { runHere: run } = await cliSession()
  const { status, stdout, stderr } = await run(['fetch', ...series({}), '--start', '2090-01-01', '--end', '2090-01-02'])
  expect([status, stdout]).toEqual([0, '0 files\n'])
  expect(stderr).toContain('the range is in the future')
})

test('a symbol that a service names with a line feed is printed on one line', async () => {
  const symbols = ['OK', 'a\nPASSES-FOR-ANOTHER', 'b\u001b[2J']
  const service = await fakeService((_, response) => sendJson(response, { exchange: 'venuea-futures', symbols }))
  const dataDir = dataFolder()
  let stdout = ''
  const run = (...args: string[]) =>
    runCommand([...args, '--data-dir', dataDir], {
      stdout: { write: (part: string) => (stdout += part) },
      stderr: { write: () => true },
      env: {},
      signal: new AbortController().signal,
    })
  expect(await run('connection', 'add', 'own', '--metrics-url', service.url, '--tier', '3')).toBe(0)
  stdout = ''
  expect(await run('symbols', '--exchange', 'venuea-futures', '--connection', 'own')).toBe(0)
  expect(stdout).toBe('OK\na\uFFFDPASSES-FOR-ANOTHER\nb\uFFFD[2J\n')
})
