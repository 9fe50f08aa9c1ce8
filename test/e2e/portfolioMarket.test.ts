import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { artifactsDir, choose, openSandboxDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

/** Opens a window on a core that uses the sandbox as its service. */
async function openMarket(colorScheme: 'dark' | 'light'): Promise<Page> {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url, { colorScheme })
  page.setDefaultTimeout(30_000)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return page
}

const go = async (page: Page, address: string) => {
  await page.evaluate((to) => (location.hash = `#/portfolios/${to}`), address)
  await page.locator('.tab.on').waitFor()
}

async function saved(page: Page, button: string): Promise<{ name: string; text: string }> {
  const { name, path } = await savedFile(page, () => page.getByRole('button', { name: button }).click())
  return { name, text: readFileSync(path, 'utf8') }
}

async function looksRight(page: Page, name: string): Promise<void> {
  expect(await page.locator('main').innerText()).not.toMatch(/NaN|not a number|infinity|undefined/i)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, `${name}.png`) })
}

describe('prices, universes, regimes and factors', () => {
  it('answer an analyst’s questions one after the other', async () => {
    const page = await openMarket('dark')

    await go(page, 'prices')
    const tickers = page.getByRole('textbox', { name: 'Tickers' })
    await tickers.fill('BTC, ETH, SOL')
    await tickers.press('Enter')
    await page.getByRole('region', { name: 'Correlation of daily price changes' }).first().waitFor()
    await page.getByText('Indexed to 100').click()
    await page.getByRole('grid', { name: 'Indexed prices by day' }).waitFor()
    const csv = await saved(page, 'CSV of Indexed prices of BTC, ETH, SOL')
    expect(csv.name).toBe('prices-BTC-ETH-SOL.csv')
    expect(csv.text).toMatch(/^time,BTC,ETH,SOL\n2020-01-01,100,100,\n/)
    const picture = await saved(page, 'SVG of Correlation of daily price changes')
    expect(picture.text).toContain('Prices of BTC, ETH, SOL')
    await looksRight(page, 'prices-dark')

    await go(page, 'universe')
    await page.getByRole('grid', { name: 'Additions and removals' }).getByText('joined').first().waitFor()
    await looksRight(page, 'universe-dark')
    await page.getByLabel('Factor or portfolio').fill('multi_core')
    await choose(page, 'Universe size', 'Full: all tickers')
    await page.getByText('A portfolio of several factors has no full universe').waitFor()
    await choose(page, 'Universe size', '20')
    await page.getByRole('button', { name: 'List tickers' }).click()
    await page.getByRole('grid', { name: 'Tickers of multi_core, 20' }).waitFor()

    await go(page, 'overlays')
    await page.getByRole('button', { name: 'market_risk' }).click()
    await page.getByRole('grid', { name: 'States' }).waitFor()
    await page.locator('.stat').filter({ hasText: 'Live value' }).getByText('time of generation not said').waitFor()
    await looksRight(page, 'regime-dark')

    await go(page, 'factors?factor=momentum&from=2026-06-01')
    await page.getByRole('grid', { name: 'Factor momentum: live and end of day' }).waitFor()
    await page.locator('.stat').filter({ hasText: 'Mean information coefficient' }).waitFor()
    const others = page.getByRole('textbox', { name: 'Compare with' })
    await others.fill('trend')
    await others.press('Enter')
    await page.getByRole('cell', { name: '1.00' }).first().waitFor()
    await looksRight(page, 'factors-dark')
  })

  it('can be read in the light theme', async () => {
    const page = await openMarket('light')
    await go(page, 'factors?factor=momentum&with=carry&from=2026-06-01')
    await page.getByRole('cell', { name: '1.00' }).first().waitFor()
    await looksRight(page, 'factors-light')
    await go(page, 'universe')
    await page.getByRole('grid', { name: 'Members' }).waitFor()
    await looksRight(page, 'universe-light')
    await go(page, 'overlays?overlay=vol_target&portfolio=momentum_ls.20')
    await page.getByRole('grid', { name: 'Values' }).waitFor()
    await looksRight(page, 'overlay-light')
    await go(page, 'prices?tickers=BTC,ETH&level=index')
    await page.getByRole('grid', { name: 'Summary by ticker' }).waitFor()
    await looksRight(page, 'prices-light')
  })
})
