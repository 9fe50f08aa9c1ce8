import {
  cell,
  chart,
  dark,
  dialog,
  waitForDownloads,
  escape,
  light,
  press,
  visit,
  wideDark,
  type Scene,
} from './scene.ts'

const bitcoin = { exchanges: ['venuea-futures'], symbols: ['perpetual-BTC-USDT:USDT'] }
const SAMPLE_FILES = 30

/** Scenes of a first start, before any download. */
export const firstStart: readonly Scene[] = [
  { name: 'workbench-empty', views: [dark, light], open: visit('workbench', 'main h2') },
  {
    name: 'downloads-queue',
    async open({ client, reload }) {
      const request = { ...bitcoin, datasets: ['vtwap', 'flow'], startDay: '2026-09-01', endDay: '2026-09-04' }
      await client.call('downloads.enqueue', { request })
      await client.call('downloads.pause', { which: { ids: [2, 3] } })
      await reload('downloads', cell)
    },
    close: ({ client }) => client.call('downloads.cancel', { which: { filter: {} } }),
  },
]

const tab = (nth: number) => `aside [role=tab]:nth-of-type(${nth})`

export const workbench: readonly Scene[] = [
  {
    name: 'start-band',
    views: [dark, light],
    async open(stage) {
      stage.desk.app.runDownloads({ concurrency: 1 })
      await stage.client.call('sample.fetch', {})
      await waitForDownloads(stage, SAMPLE_FILES)
      await stage.reload('workbench', chart)
    },
  },
  {
    name: 'workbench',
    views: [dark, light, wideDark],
    async open({ client, reload }) {
      await client.call('settings.change', { stepsHidden: true })
      await reload('workbench', chart)
    },
  },
  {
    name: 'workbench-statistics',
    async open({ page }) {
      await page.locator(tab(2)).click()
      await page.locator('aside dl').waitFor()
    },
    close: ({ page }) => page.locator(tab(1)).click(),
  },
  {
    name: 'workbench-menu',
    views: [light],
    open: (stage) => stage.page.locator('main header [aria-haspopup=menu]').last().click(),
    close: escape,
  },
  { name: 'series-picker', views: [light], open: (stage) => press(stage, 'a', dialog), close: escape },
  {
    name: 'formula-dialog',
    async open(stage) {
      await press(stage, 'f', dialog)
      await stage.page.keyboard.type('sma(a, 12) - ema(a, 48)')
    },
    close: escape,
  },
  {
    name: 'shading-dialog',
    async open(stage) {
      await stage.page.locator('main header [aria-haspopup=menu]', { hasText: 'Marks' }).click()
      await press(stage, 'Home', '[role=menu]')
      await press(stage, 'ArrowDown', '[role=menu]')
      await press(stage, 'Enter', dialog)
    },
    close: escape,
  },
  { name: 'workbench-data', open: visit('workbench/data', cell) },
  {
    name: 'workbench-scan',
    views: [light],
    async open({ go, page }) {
      await go('workbench/scan', 'main .button.main')
      await page.locator('main .button.main').first().click()
      await page.locator(cell).first().waitFor()
    },
  },
]
