import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { get } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, choose, openDesk, openSandboxDesk, openWindow, useBrowser, type Desk } from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }

const go = async (page: Page, address: string) => {
  await page.evaluate((to) => (location.hash = `#/${to}`), address)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
const rowsOf = (page: Page) => page.getByRole('grid').locator('.rows .row')
const counts = (page: Page) => page.locator('.tableToolbar output')

async function openExplore(desk: Desk, address: string, options: Parameters<typeof openWindow>[1] = {}) {
  const { page } = await openWindow(desk.host.url, options)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await go(page, address)
  return page
}

describe('the catalog', () => {
  it('finds a column by a misspelt word and tells all about it, by keyboard alone', async () => {
    const page = await openExplore(await openSandboxDesk(), 'catalog')
    await page.getByRole('searchbox', { name: 'Search datasets' }).focus()
    await page.keyboard.type('toxcity')
    await page.getByRole('link', { name: 'Flow toxicity' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'About Flow toxicity' }).getByText('UTC day so far').waitFor()
    await page.getByRole('grid', { name: 'Columns of Order flow' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/catalog/flow?q=toxcity&column=flow_toxicity_score')
    await page.getByText('As of 2026').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.screenshot({ path: join(artifactsDir, 'catalog-dark.png') })
  })

  it('shows a dataset that only the service knows, and what a refresh brought', async () => {
    const metrics = [{ id: 'dragon', name: '龙 fire', fields: [{ name: 'heat', description: 'Heat per breath' }] }]
    const { desk } = await deskWithService(({ url = '' }, response) => {
      if (url.startsWith('/api/v1/metadata/catalog')) sendJson(response, { metrics })
      else sendJson(response, { error: 'nothing' }, 404)
    })
    const page = await openExplore(desk, 'catalog', { colorScheme: 'light' })
    await page.getByRole('link', { name: '龙 fire' }).click()
    await page.getByRole('gridcell', { name: 'Heat per breath' }).waitFor()
    metrics.push({ id: 'tiger', name: 'Tiger', fields: [] })
    await page.getByRole('button', { name: 'Refresh the catalog' }).click()
    await page.getByRole('status').getByText('1 new').waitFor()
    await page.getByRole('link', { name: 'Tiger' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })
})

type Answer = Parameters<typeof fakeService>[0]

async function deskWithService(answer: Answer) {
  const desk = await openDesk()
  const service = await fakeService(answer)
  const client = desk.app.clientFor(fakeHost())
  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: service.url,
    portfolioUrl: '',
    catalogLocation: `${service.url}/raw.json`,
    tier: null,
    venues: [{ id: venues.first, short: null, sizes: 'base', exchangeTimes: 'measured' }],
  })
  await client.call('connections.use', { id })
  return { desk, client }
}

/** Counts the rows of a raw catalog, one for each dataset, venue and symbol, whose symbol contains a text. */
async function coverageRows(catalogUrl: string, text: string): Promise<number> {
  const { coverage } = (await get(catalogUrl)).json<{
    coverage: { datasets: Record<string, Record<string, Record<string, unknown>>> }
  }>()
  const bySymbol = Object.values(coverage.datasets).flatMap((ofDataset) => Object.values(ofDataset))
  return bySymbol.flatMap(Object.keys).filter((symbol) => symbol.includes(text)).length
}

function manySymbols(count: number) {
  const symbols = Array.from({ length: count }, (_, at) => [
    `perpetual-${at % 977 === 5 ? '龙' : 'COIN'}${at}-USDT:USDT`,
    { first: '2024-01-01', last: '2026-10-31', days: 1000 - (at % 7) },
  ])
  return {
    schema_version: 1,
    datasets: [{ id: 'trades', exchanges: [venues.first], columns: [] }],
    summary: [{ dataset: 'trades', exchange: venues.first, symbols: count, first: '2024-01-01', last: '2026-10-31' }],
    coverage: {
      generated_at: '2026-11-01T00:00:00.000Z',
      datasets: { trades: { [venues.first]: Object.fromEntries(symbols) } },
    },
  }
}

describe('the coverage', () => {
  it('narrows the symbols by text and by venue, and keeps what is chosen in the address', async () => {
    const desk = await openSandboxDesk()
    const rows = await coverageRows(desk.sandbox.catalogUrl, '龙')
    const page = await openExplore(desk, 'coverage')
    await rowsOf(page).first().waitFor()
    await page.getByRole('searchbox', { name: 'Filter by symbol' }).fill('龙')
    await expect.poll(() => counts(page).innerText(), patience).toMatch(new RegExp(`^${rows} of`))
    await page.getByRole('gridcell', { name: 'trades', exact: true }).first().click()
    await page.getByRole('complementary', { name: 'Coverage of perpetual-龙-USDT:USDT' }).waitFor()
    await page.getByRole('img', { name: /Calendar of files: \d+ not cached/ }).waitFor()
    await expect
      .poll(() => decodeURIComponent(page.url()), patience)
      .toContain(`at=trades/${venues.first}/perpetual-龙-USDT:USDT`)
    expect(await axeFindings(page)).toEqual([])
    await page.screenshot({ path: join(artifactsDir, 'coverage-dark.png') })
    await page.reload()
    await page.getByRole('complementary', { name: 'Coverage of perpetual-龙-USDT:USDT' }).waitFor()
    await expect.poll(() => counts(page).innerText(), patience).toMatch(new RegExp(`^${rows} of`))
    await rowsOf(page).first().click()
    await rowsOf(page)
      .nth(2)
      .click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Compare' }).waitFor()
    await page.getByRole('button', { name: 'Download …' }).click()
    await page.getByRole('radio', { name: 'Raw events' }).and(page.locator(':checked')).waitFor()
    await page.getByRole('button', { name: 'Remove perpetual-龙-USDT:USDT' }).waitFor()
  })

  it('shows metric files by interval for every symbol a venue lists', async () => {
    const page = await openExplore(await openSandboxDesk(), 'coverage?kind=metrics', { colorScheme: 'light' })
    await page.getByRole('grid', { name: 'Symbols with metric files' }).waitFor()
    await choose(page, 'Venue', venues.third)
    await expect.poll(() => counts(page).innerText(), patience).toMatch(/^\d+ of/)
    await rowsOf(page).first().click()
    await choose(page, 'Interval', '15s')
    await page.getByRole('img', { name: /Calendar of files/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.screenshot({ path: join(artifactsDir, 'coverage-metrics-light.png') })
    const middleOf = async (locator: Locator) => {
      const { y, height } = (await locator.boundingBox())!
      return Math.round(y + height / 2)
    }
    // What the table is of stands in the row of the tabs, so that one row of controls is above it.
    const tabsY = await middleOf(page.getByRole('link', { name: 'Coverage', exact: true }))
    expect(await middleOf(page.getByRole('radio', { name: 'Pivot' }))).toBeCloseTo(tabsY, -1)
    expect(await middleOf(page.getByRole('button', { name: /^Refresh/ }))).toBeCloseTo(tabsY, -1)
  })

  it('stays responsive with 20,000 symbols', async () => {
    const { desk } = await deskWithService(({ url = '' }, response) =>
      url === '/raw.json' ? sendJson(response, manySymbols(20_000)) : sendJson(response, {}, 404),
    )
    const page = await openExplore(desk, 'coverage')
    await rowsOf(page).first().waitFor()
    await expect.poll(() => counts(page).innerText(), patience).toContain('20\u202f000 rows')
    await page.getByRole('searchbox', { name: 'Filter by symbol' }).fill('龙')
    await expect.poll(() => counts(page).innerText(), patience).toMatch(/^21 of 20\u202f000/)
    await page.getByRole('columnheader', { name: 'Missing' }).click()
    await expect.poll(() => rowsOf(page).first().innerText(), patience).toContain('2024-01-01')
  })

  it('says what failed in the service’s words, and shows the index once the service is well again', async () => {
    let isDown = true
    const { desk } = await deskWithService((_request, response) =>
      isDown ? sendJson(response, { message: 'maintenance' }, 403) : sendJson(response, manySymbols(3)),
    )
    const page = await openExplore(desk, 'coverage')
    await page.getByRole('alert').getByText('maintenance').waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => counts(page).innerText(), patience).toContain('3 rows')
  })

  it('answers offline from what is known, and says from when', async () => {
    const { desk, client } = await deskWithService(({ url = '' }, response) =>
      url === '/raw.json' ? sendJson(response, manySymbols(3)) : sendJson(response, {}, 404),
    )
    await client.call('discovery.rawCatalog', {})
    await client.call('settings.change', { offline: true })
    const page = await openExplore(desk, 'coverage')
    await expect.poll(() => counts(page).innerText(), patience).toContain('3 rows')
    await page.getByText('Cached on').waitFor()
    await page.getByRole('button', { name: 'Refresh the raw-event catalog' }).click()
    await page.getByRole('alert').getByText('Perpscope is offline.').waitFor()
    expect(await rowsOf(page).count()).toBe(3)
  })
})

it('the palette finds symbols and columns and leads to them', async () => {
  const page = await openExplore(await openSandboxDesk(), 'workbench')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search commands' }).fill('龙')
  await page.getByRole('option', { name: '龙-USDT:USDT' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Coverage of perpetual-龙-USDT:USDT' }).waitFor()
  await page.getByRole('row', { selected: true }).getByText('龙').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search commands' }).fill('toxicity')
  await page.getByRole('option', { name: 'Flow toxicity' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'About Flow toxicity' }).waitFor()
})
