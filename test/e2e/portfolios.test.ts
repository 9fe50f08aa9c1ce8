import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { artifactsDir, openSandboxDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }
const eventually = <Value>(read: () => Value) => expect.poll(read, patience)

async function openPortfolios(address: string, options: Parameters<typeof openWindow>[1] = {}) {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url, options)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await go(page, address)
  return page
}

const go = (page: Page, address: string) => page.evaluate((to) => (location.hash = `#/portfolios/${to}`), address)
const stat = (page: Page, name: string) =>
  page.locator('.stat', { has: page.getByRole('button', { name, exact: true }) }).locator('.value')
const pageText = (page: Page) => page.locator('.portfolios').innerText()
const invalidNumbers = /NaN|not a number|infinity|undefined/

async function downloaded(page: Page, button: string): Promise<string> {
  const { name } = await savedFile(page, () => page.getByRole('button', { name: button, exact: true }).click())
  return name
}

describe('the portfolio screens', () => {
  it('lead from an identifier to its tear sheet, a range of it, and others beside it', async () => {
    const page = await openPortfolios('portfolio')
    await page.getByRole('button', { name: 'momentum_ls.20', exact: true }).click(patience)
    await stat(page, 'Sharpe').waitFor(patience)
    expect(new URL(page.url()).hash).toBe('#/portfolios/portfolio?portfolio=momentum_ls.20')
    const days = await stat(page, 'Days').innerText()
    await page.getByRole('button', { name: '1Y', exact: true }).click()
    await eventually(() => stat(page, 'Days').innerText()).not.toBe(days)
    expect(page.url()).toContain('from=')
    await page.getByRole('button', { name: 'Calmar', exact: true }).click()
    await page.getByText('CAGR over the absolute maximum drawdown').waitFor()
    await page.getByRole('button', { name: 'Compare …' }).click()
    await page.getByRole('button', { name: 'All smoothings' }).click()
    await page.getByRole('grid', { name: 'Side by side' }).getByText('not smoothed').waitFor(patience)
    // All that the page is about stays on one line, however many are compared, and variants are told apart.
    const chips = page.getByRole('list', { name: 'Compared with' })
    expect(await chips.getByRole('listitem').count()).toBe(5)
    const lineTop = (await page.getByRole('combobox', { name: 'Portfolio', exact: true }).first().boundingBox())!.y
    expect(Math.abs((await chips.boundingBox())!.y - lineTop)).toBeLessThan(10)
    const heads = page.getByRole('table', { name: 'Leading figures' }).getByRole('columnheader')
    expect(await heads.allInnerTexts()).toContain('smoothed 5 days')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    const rail = page.getByRole('navigation', { name: 'Screens' })
    await rail.getByRole('link', { name: 'Settings' }).click()
    await rail.getByRole('link', { name: 'Portfolios' }).click()
    await page.getByRole('grid', { name: 'Side by side' }).getByText('not smoothed').waitFor(patience)
    // The wheel scrolls the page and does not zoom the chart under the pointer.
    const address = page.url()
    await page.getByRole('application').first().hover()
    await page.mouse.wheel(0, 2000)
    await eventually(() => page.locator('.tab-view').evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(100)
    expect(page.url()).toBe(address)
    // A table under the pointer does not stop the wheel from scrolling the page.
    await page.getByRole('grid', { name: 'Months and years' }).hover()
    const onTable = await page.locator('.tab-view').evaluate(({ scrollTop }) => scrollTop)
    await page.mouse.wheel(0, onTable > 1000 ? -600 : 600)
    await eventually(() => page.locator('.tab-view').evaluate(({ scrollTop }) => scrollTop)).not.toBe(onTable)
    expect(await pageText(page)).not.toMatch(invalidNumbers)
    expect(await downloaded(page, 'CSV of Months and years')).toBe('momentum_ls.20-years.csv')
    expect(await downloaded(page, 'SVG of Returns of momentum_ls.20')).toBe('momentum_ls.20-returns.svg')
    expect(await downloaded(page, 'PNG of Distribution of daily returns')).toBe('momentum_ls.20-distribution.png')
  })

  it('say what is wrong with an unknown portfolio and with a smoothing of 7 days, and work offline', async () => {
    const page = await openPortfolios('portfolio?portfolio=nobody.20')
    await page.getByText('Unknown portfolio: nobody.20').waitFor(patience)
    await go(page, 'portfolio?portfolio=carry_ls.20&smoothing=7')
    await page.getByText('There is no 7-day smoothing').waitFor(patience)
    await go(page, 'portfolio?portfolio=carry_ls.20')
    await stat(page, 'Sharpe').waitFor(patience)
    await page.getByRole('switch').click()
    await go(page, 'portfolio?portfolio=trend_ls.20')
    await page.getByText('The data is not in the cache on this machine.').waitFor(patience)
    await go(page, 'portfolio?portfolio=carry_ls.20')
    await stat(page, 'Sharpe').waitFor(patience)
  })

  it('open panels in the Lab and test them while the service is gone', async () => {
    const desk = await openSandboxDesk()
    const { page } = await openWindow(desk.host.url)
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    const openInLab = async (address: string, kind: string, ready: string | null) => {
      await go(page, address)
      if (ready) await stat(page, ready).first().waitFor(patience)
      await page.getByRole('button', { name: /Open or save$/ }).click()
      await page.getByRole('menuitem', { name: kind }).click()
      await page.waitForURL(/#\/lab\/[0-9a-f]{8}-/, patience)
      return page.url()
    }
    const pages = [
      ['portfolio?portfolio=momentum_ls.20', 'Portfolio test', 'Sharpe'],
      ['weights?portfolio=momentum_ls.20', 'Portfolio test', 'Turnover, two-way'],
      ['factors?factor=momentum&from=2026-06-01', 'Signal study', null],
    ] as const
    for (const [address, kind, ready] of pages) await openInLab(address, kind, ready)
    await desk.sandbox.close()
    const opened = new Set<string>()
    for (const [address, kind, ready] of pages) {
      opened.add(await openInLab(address, kind, ready))
      if (kind === 'Signal study') await page.getByText('naive t').waitFor(patience)
      else {
        await page.getByText('No answer yet').waitFor(patience)
        await page.keyboard.press('Control+Enter')
        await page.getByRole('button', { name: 'Net Sharpe', exact: true }).waitFor(patience)
      }
      expect(await page.locator('.answer').innerText()).not.toMatch(invalidNumbers)
    }
    expect(opened.size).toBe(pages.length)
  }, 120_000)

  it.each(['dark', 'light'] as const)('show portfolio, weights and explained returns, in %s', async (colorScheme) => {
    const page = await openPortfolios('portfolio?portfolio=momentum_ls.20&benchmark=BTC', { colorScheme })
    const shoot = async (name: string) => {
      expect(await axeFindings(page)).toEqual([])
      expect(await pageText(page)).not.toMatch(invalidNumbers)
      await page.screenshot({ path: join(artifactsDir, `portfolios-${name}-${colorScheme}.png`) })
    }
    await stat(page, 'Beta').waitFor(patience)
    await shoot('portfolio')
    await page.getByRole('link', { name: 'Weights', exact: true }).click()
    await stat(page, 'Turnover, two-way').waitFor(patience)
    await page.getByText('the next is in').waitFor()
    await page.getByText('Heat map', { exact: true }).click(patience)
    await page.getByRole('img', { name: /^Weights of \d+ tickers/ }).waitFor(patience)
    await shoot('weights')
    await go(page, 'explain?portfolio=momentum_ls.20&overlay=vol_target&scaled=1')
    await stat(page, 'Largest residual').waitFor(patience)
    await page.getByRole('grid', { name: 'Without and with vol_target', exact: true }).waitFor(patience)
    await shoot('explain')
  })
})
