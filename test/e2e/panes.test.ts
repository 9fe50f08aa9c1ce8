import { describe, expect, it } from 'vitest'
import { browserOnly, openSandboxDesk, openWindow, savedFile, useBrowser } from './harness.ts'
import { axeFindings } from './axe.ts'

useBrowser()

const patience = { timeout: 30_000 }
const eventually = <Value>(read: () => Value) => expect.poll(read, patience)

async function openPortfolio() {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.evaluate(() => (location.hash = '#/portfolios/portfolio?portfolio=momentum_ls.20'))
  await page.getByRole('button', { name: 'Chart in workbench' }).click(patience)
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
    const { name } = await savedFile(page, () =>
      page.getByRole('menuitem', { name: 'All cached data as CSV' }).click(patience),
    )
    expect(name).toMatch(/\.csv$/)
    await page.getByText(/^Saved .*, [\d\s]{4,}rows/).waitFor(patience)
  })
})

describe('a pane in a tab of its own', () => {
  it('leaves the chart, follows its range, and comes back', async ({ skip }) => {
    skip(...browserOnly)
    const { page, chart } = await openPortfolio()
    await chart.focus()
    await page.keyboard.press('Shift+F10')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Open in its own tab' }).click(patience),
    ])
    await tab.getByRole('application').getByText('momentum_ls.20').first().waitFor(patience)
    const apart = page.getByRole('list', { name: 'Panes in their own windows' })
    await apart.waitFor(patience)
    await page.getByText('Every pane of this workspace is in a window of its own.').waitFor()
    expect(await axeFindings(tab)).toEqual([])

    const inView = () => tab.getByRole('application').getAttribute('aria-label')
    const before = await inView()
    await tab.getByRole('button', { name: '3m', exact: true }).click()
    await eventually(inView).not.toBe(before)
    const narrow = await inView()
    // A reload of the pane's tab keeps the pane in that tab.
    await tab.reload()
    await tab.getByRole('application').waitFor(patience)
    await eventually(inView).toBe(narrow)
    await apart.waitFor(patience)

    await page.getByRole('button', { name: /^Bring .* back$/ }).click()
    await chart.getByText('Equity, growth of 1 · momentum_ls.20').waitFor(patience)
    expect(await apart.count()).toBe(0)
    await eventually(() => tab.isClosed()).toBe(true)
  })
})
