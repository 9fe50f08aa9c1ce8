import { describe, expect, it } from 'vitest'
import { announced, openSandboxDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }

async function openPortfolio() {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.evaluate(() => (location.hash = '#/portfolios/portfolio?portfolio=momentum_ls.20'))
  await page.getByRole('button', { name: /Open or save$/ }).click(patience)
  await page.getByRole('menuitem', { name: 'Chart in workbench' }).click(patience)
  const chart = page.getByRole('application')
  await chart.getByText('Equity, growth of 1 · momentum_ls.20').waitFor(patience)
  return { desk, page, chart }
}

describe('portfolios beside metrics', () => {
  it('are charted from their page and from the picker, exported, and there offline', async () => {
    const { page, chart } = await openPortfolio()
    await page.keyboard.press('a')
    const picker = page.getByRole('dialog', { name: 'Add series' })
    await picker.getByRole('combobox', { name: 'Column' }).fill('portfolio_returns.return')
    await picker.getByRole('option', { name: /momentum_ls\.20/ }).waitFor(patience)
    await page.keyboard.press('Control+Enter')
    await chart.getByText('Return · momentum_ls.20').waitFor(patience)
    await page.getByRole('switch', { name: 'Online' }).click()
    await page.reload()
    await chart.getByText('Equity, growth of 1 · momentum_ls.20').waitFor(patience)
    await page.getByRole('button', { name: 'Export' }).click()
    await announced(page, /^Saved .*, [\d\s]{4,}rows/, async () => {
      const item = page.getByRole('menuitem', { name: 'All cached data as CSV' })
      const { name } = await savedFile(page, () => item.click(patience))
      expect(name).toMatch(/\.csv$/)
    })
  })
})
