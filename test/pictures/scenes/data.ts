import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayNumberOf } from '#shared/time/periods.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { get } from '../../fakes/testSandbox.ts'
import { cell, dark, dialog, waitForDownloads, escape, light, picture, visit, wideLight, type Scene } from './scene.ts'

const exchange = 'venuea-futures'
const symbol = 'perpetual-AVAX-USDT:USDT'
const day = '2026-08-30'
const instrument = `exchange=${exchange}&symbol=${symbol}`
const request = { exchanges: [exchange], symbols: [symbol], startDay: day, endDay: day }

export const explore: readonly Scene[] = [
  { name: 'catalog', open: visit('catalog', 'main h2') },
  {
    name: 'catalog-dataset',
    views: [dark, light],
    open: visit('catalog/flow?q=toxcity&column=flow_toxicity_score', cell),
  },
  { name: 'coverage', views: [dark, light], open: visit('coverage', cell) },
  {
    name: 'coverage-symbol',
    views: [dark, light, wideLight],
    open: visit(`coverage?text=AVAX&at=trades/${exchange}/${symbol}`, picture),
  },
  { name: 'catalog-raw', views: [light], open: visit('catalog/raw.trades', 'main article table') },
  {
    name: 'coverage-metrics',
    views: [light],
    open: visit('coverage?kind=metrics&at=ohlcv/venuea-futures/perpetual-BTC-USDT:USDT&interval=5m', picture),
  },
]

const selection = 'dataset=flow&symbol=perpetual-BTC-USDT:USDT&interval=1d&start=2026-09-01&end=2026-09-03'

/**
 * Selector of cells that pictures of the history leave out: files are downloaded while earlier files are validated, so
 * neighbouring rows, of any dataset, may end in either order.
 */
const unordered = ['1', '6', '8'].map((at) => `[role=gridcell][aria-colindex="${at}"]`).join()

export const downloads: readonly Scene[] = [
  { name: 'composer', views: [dark, light], open: visit(`downloads/new?${selection}`, 'main aside dl') },
  {
    name: 'composer-files',
    async open({ page }) {
      await page.locator('main aside [aria-pressed]').first().click()
      await page.locator(cell).first().waitFor()
    },
  },
  {
    name: 'save-set-dialog',
    views: [light],
    async open({ page }) {
      await page.locator('main aside .button').last().click()
      await page.locator(dialog).waitFor()
    },
    close: escape,
  },
  {
    name: 'downloads-sets',
    async open({ client, reload }) {
      const intervals = ['1d' as const]
      const set = { ...request, datasets: ['flow'], intervals, name: 'Daily flow', start: { lastDays: 30 } }
      const { startDay: _start, endDay: _end, ...fields } = set
      await client.call('downloads.saveSet', { set: fields })
      await reload('downloads/sets', 'main article')
    },
  },
  {
    name: 'downloads-history',
    views: [dark, light],
    mask: unordered,
    async open(stage) {
      const { client } = stage
      for (const datasets of [['trades'], ['quotes']])
        await client.call('downloads.enqueue', { request: { ...request, kind: 'raw', datasets } })
      await client.call('downloads.enqueue', { request: { ...request, datasets: ['ohlcv'], intervals: ['1h'] } })
      await waitForDownloads(stage, 33)
      await stage.reload('downloads/history', cell)
    },
  },
  {
    name: 'downloads-details',
    mask: unordered,
    async open({ page }) {
      await page.locator('[role=gridcell][aria-colindex="2"]').first().dblclick()
      await page.locator('main .mono').waitFor()
    },
  },
]

export const raw: readonly Scene[] = [
  { name: 'raw-catalog', views: [light], open: visit('raw/catalog', 'main h2') },
  {
    name: 'raw-import',
    async open(stage) {
      const { desk, go } = stage
      const folder = temporaryFolder()
      const { files } = await desk.sandbox.rawFiles({ dataset: 'trades', exchange, symbol, start: '2026-08-29' })
      writeFileSync(join(folder, `trades_${exchange}_${symbol}_2026-08-29.parquet`), (await get(files[0].url)).bytes)
      writeFileSync(join(folder, 'table.parquet'), 'exchange_timestamp,price\n')
      await go('raw/import', 'main button')
      await desk.app.receiveFiles([folder])
      await stage.page.locator('main table tbody tr, main [role=row] [role=gridcell]').first().waitFor()
    },
    close: ({ client }) => client.call('raw.dismiss', {}),
  },
  {
    name: 'raw-files',
    views: [light],
    async open({ client, reload }) {
      const startDay = dayNumberOf(day)
      await client.call('raw.conditions', { exchange, symbol, dataset: 'quotes', startDay, endDay: startDay + 1 })
      await reload(`raw/files?${instrument}&dataset=quotes`, 'main table')
    },
  },
  { name: 'raw-rows', views: [dark, light], open: visit(`raw/rows?${instrument}&dataset=trades&period=${day}`, cell) },
  {
    name: 'raw-latency',
    views: [dark, light],
    open: visit(`raw/latency?${instrument}&dataset=trades&period=${day}`, picture),
  },
  { name: 'raw-tape', views: [dark, light], open: visit(`raw/tape?${instrument}&period=${day}`, 'main canvas') },
  {
    name: 'raw-compute',
    async open({ client, reload }) {
      const startDay = dayNumberOf(day)
      const series = { exchange, symbol, interval: '1h', timestamp: 'exchange' as const }
      await client.call('raw.compute', { ...series, datasets: ['ohlcv'], startDay, endDay: startDay + 1 })
      await reload(`raw/compute?${instrument}`, 'main form, main .button.main')
    },
  },
  {
    name: 'raw-reconcile',
    views: [light],
    open: visit(`raw/reconcile?${instrument}&metric=ohlcv&interval=1h&timestamp=exchange`, 'main canvas, main table'),
  },
]
