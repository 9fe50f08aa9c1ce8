import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { readTable } from '../conformance/compareMetrics.ts'
import { engineUser, enginePassword, fakeClickHouse } from '../fakes/fakeClickHouse.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { get } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, choose, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const day = '2026-08-30'
const pair = { exchange: venues.first, symbol: 'perpetual-AVAX-USDT:USDT' }
const patience = { timeout: 30_000 }

/**
 * Opens a desk with the trades of one day, and a fake ClickHouse server that has the same trades and computes vtwap
 * from them.
 */
async function openEngineDesk() {
  const desk = await openSandboxDesk()
  const client = desk.app.clientFor(fakeHost())
  const folder = temporaryFolder()
  const { files } = await desk.sandbox.rawFiles({ dataset: 'trades', ...pair, start: day })
  writeFileSync(join(folder, `trades_${pair.exchange}_${pair.symbol}_${day}.parquet`), (await get(files[0].url)).bytes)
  await desk.app.receiveFiles([folder])
  const { files: inspected } = await client.call('raw.inspect', {})
  await client.call('raw.import', { files: inspected.map(({ id }) => ({ id, ...pair })) })
  const days = { startDay: dayNumberOf(day), endDay: dayNumberOf(day) + 1 }
  const series = { ...pair, interval: '1h', timestamp: 'exchange' as const }
  await client.call('raw.compute', { ...series, datasets: ['vtwap'], ...days })
  const computed = async () => (await client.call('cache.list', { connectionId: computedOwner('sandbox') })).files
  const [{ path }] = await computed()
  const rows = readTable(path)
  const engine = await fakeClickHouse([`${day}.parquet`], rows)
  return { desk, rows, engine, computed }
}

const go = async (page: Page, address: string) => {
  await page.evaluate((to) => (location.hash = `#/${to}`), address)
  await expect.poll(() => page.title(), patience).toMatch(/Raw events · Perpscope$/)
}
const query = `exchange=${pair.exchange}&symbol=${encodeURIComponent(pair.symbol)}&metric=vtwap&interval=1h&timestamp=exchange`
const shot = (page: Page, name: string) => page.screenshot({ path: join(artifactsDir, `engines-${name}.png`) })

it('is given a ClickHouse server, compares it, refuses what differs, and computes on it once all agrees', async () => {
  const { desk, rows, engine, computed } = await openEngineDesk()
  const { page } = await openWindow(desk.host.url)
  page.setDefaultTimeout(30_000)
  await expect.poll(() => page.title(), patience).toBe('Workbench · Perpscope')
  await go(page, `raw/compute?${query}`)
  await choose(page, 'Engine', 'ClickHouse')
  await page.getByText('This connection has no ClickHouse server yet.').waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill(engine.url)
  await page.getByRole('textbox', { name: 'User', exact: true }).fill(engineUser)
  await page.getByLabel('Password').fill(enginePassword)
  await page.getByRole('button', { name: 'Save server' }).click()
  await page.getByText('ClickHouse has not been compared with the built-in engine yet for vtwap.').waitFor()
  await page.getByRole('textbox', { name: 'Events on the server' }).fill('somewhere')
  await page.keyboard.press('Tab')
  await page.getByText('Enter a folder such as /mnt/raw').waitFor()
  await page.getByRole('textbox', { name: 'Events on the server' }).fill('/there')
  await page.keyboard.press('Tab')
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'compute-unchecked')

  const values = rows.columns.get('vwap')!
  const correctValue = values[5]
  values[5] *= 1.01
  await page.getByRole('link', { name: 'Compare ClickHouse with the built-in engine' }).click()
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.getByText('✕ Some columns differ').waitFor()
  const row = page.getByRole('row', { name: /✕ vwap/ })
  expect(await row.innerText()).toContain('0.0099')
  await page.getByText(/ClickHouse is not used for vtwap, because its column vwap differed by/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'compare-differs')

  await go(page, `raw/compute?${query}&engine=clickhouse`)
  await page.getByText(/ClickHouse is not used for vtwap/).waitFor()
  expect(await page.getByRole('button', { name: 'Compute', exact: true }).isDisabled()).toBe(true)
  await shot(page, 'compute-refused')

  values[5] = correctValue
  await go(page, `raw/reconcile?${query}&engine=clickhouse`)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.getByText('✓ All columns agree').waitFor()
  await choose(page, 'Compare with', 'DuckDB')
  await page.getByText('Both engines read the raw events in the cache.').waitFor()
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await page.getByText('✓ All columns agree').waitFor()
  await shot(page, 'compare-agrees')

  await go(page, `raw/compute?${query}&engine=clickhouse`)
  await page.getByText(/✓ ClickHouse 26.9.2.1 agreed on all columns of 1 dataset/).waitFor()
  await page.getByRole('button', { name: 'Compute', exact: true }).click()
  await page.getByText(/Computed by ClickHouse: \d+ rows in 1 file\./).waitFor()
  await shot(page, 'compute-done')
  expect(await computed()).toMatchObject([{ computedBy: { engine: 'clickhouse' } }])
})

it('computes on the server alone what nobody has cached, and changes and removes the server in Settings', async () => {
  const desk = await openSandboxDesk()
  const rows = readTable(join(import.meta.dirname, '../conformance/data/expected/v1/vtwap.1h.exchange.parquet'))
  const engine = await fakeClickHouse(['2026-09-01.parquet', '2026-09-02.parquet'], rows)
  const symbols = ['perpetual-AVAX-USDT:USDT', 'perpetual-龙-USDT:USDT']
  const lineOf = (symbol: string) =>
    ['trades', pair.exchange, encodeURIComponent(symbol), '2026-09-01', '2026-09-02'].join('\t')
  engine.instruments = symbols.map((symbol) => `${lineOf(symbol)}\n`).join('')
  const { page } = await openWindow(desk.host.url)
  page.setDefaultTimeout(30_000)
  await expect.poll(() => page.title(), patience).toBe('Workbench · Perpscope')
  await go(page, 'raw/compute')
  await page.getByRole('link', { name: 'Compute on a ClickHouse server' }).click()
  await page.getByRole('textbox', { name: 'Address' }).fill(engine.url)
  await page.getByRole('textbox', { name: 'User', exact: true }).fill(engineUser)
  await page.getByLabel('Password').fill(enginePassword)
  await page.keyboard.press('Enter')
  await page.getByText('List the instruments of the server, then choose one.').waitFor()
  await page.getByRole('textbox', { name: 'Events on the server' }).fill('/there')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('2 instruments on the server.').waitFor()
  await choose(page, 'Instrument', `龙-USDT:USDT · ${venues.first}`)
  await page.getByText('trades from 2026-09-01 to 2026-09-02.').waitFor()
  expect(await page.getByRole('textbox', { name: 'to (inclusive, UTC)' }).inputValue()).toBe('2026-09-02')
  await page.getByRole('checkbox', { name: /ohlcv/ }).uncheck()
  await page.getByRole('checkbox', { name: /vtwap/ }).check()
  await page.getByRole('combobox', { name: 'Interval' }).fill('1h')
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'compute-server-only')
  await page.getByRole('button', { name: 'Compute', exact: true }).click()
  await page.getByText(/Computed by ClickHouse: \d+ rows in 2 files\./).waitFor()

  await page.evaluate(() => (location.hash = '#/settings/connections'))
  await page.getByText(`${engine.url}, user ${engineUser}, password set`).waitFor()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('textbox', { name: 'Cluster' }).fill('desk')
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText(', cluster desk').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: 'Remove server and password' }).click()
  await page.getByRole('button', { name: 'Set server' }).waitFor()
})
