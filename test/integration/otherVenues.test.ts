import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../electron/sandbox/server.ts'
import { parseVenues } from '../../electron/sandbox/market/venues.ts'
import { cliSession } from '../fakes/cliSession.ts'
import { testNowMs } from '../fakes/testSandbox.ts'

test('a service whose venues have other names is tested, listed and read, and no name of the documents appears', async () => {
  const venues = parseVenues(
    'wren-futures,short=wren,sizes=base;heron-perps,short=heron,sizes=contracts;crane,sizes=base,times=modelled',
  )
  const sandbox = await startSandbox({ nowMs: testNowMs, venues })
  onTestFinished(() => sandbox.close())
  const { runHere } = await cliSession()
  const add = ['connection', 'add', 'birds', '--metrics-url', sandbox.url, '--catalog', sandbox.catalogUrl]
  expect((await runHere(add)).status).toBe(0)
  const run = (...words: string[]) => runHere(['--connection', 'birds', ...words])
  const tested = await run('connection', 'test')
  const listed = await run('coverage', '--refresh', '--dataset', 'trades', '--symbol', 'perpetual-BTC-USDT:USDT')
  await run('connection', 'edit', 'birds', '--venue', 'heron-perps,sizes=contracts')
  const known = await run('connection', 'venues', '--json')
  const misspelt = await run('symbols', '--exchange', 'heron')
  expect(tested.stdout).toMatch(/symbols? on wren-futures/)
  expect(listed.stdout).toMatch(/heron-perps/)
  expect(known.lines[0]).toMatchObject([
    { id: 'heron-perps', sizes: 'contracts', basis: { id: 'typed', sizes: 'typed', short: null } },
    { id: 'wren-futures', sizes: null, basis: { id: 'catalog' } },
    { id: 'crane', sizes: null, basis: { id: 'catalog' } },
  ])
  expect([misspelt.status, misspelt.stderr]).toEqual([1, expect.stringContaining('Did you mean heron-perps?')])
  for (const { stdout, stderr } of [tested, listed, known, misspelt]) expect(stdout + stderr).not.toMatch(/venue[abc]/)
})
