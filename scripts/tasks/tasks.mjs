/**
 * What a person does, as tasks in the order in which they build on each other. `goal` is the largest number of clicks,
 * two thirds of what it took before the screens had something that leads; null where none was counted.
 */
export const tasks = [
  {
    name: 'First chart',
    goal: 0,
    async run({ page }) {
      await page.getByRole('application').first().waitFor()
    },
  },
  {
    name: '60 days of three datasets for three symbols',
    goal: 16,
    async run(person) {
      const { page } = person
      await person.screen('Downloads')
      await person.click(page.getByRole('link', { name: 'New download' }))
      for (const dataset of ['Funding', 'Basis']) await person.click(page.getByText(dataset, { exact: true }))
      await person.click(page.getByLabel('Symbols', { exact: true }))
      await person.type(['GRT', 'ENJ', 'IOST'].map((base) => `perpetual-${base}-USDT:USDT`).join(' '))
      await person.press('Enter')
      await person.click(page.getByText('90 days', { exact: true }))
      await person.click(page.getByRole('button', { name: /^Download [\d\s]+ files/ }))
      await page.waitForURL(/#\/downloads/)
      await downloaded(page)
    },
  },
  {
    name: 'Carry backtest, its second trial, both compared',
    goal: 19,
    async run(person) {
      const { page } = person
      await person.screen('Lab')
      await person.click(page.getByRole('button', { name: /^Funding carry, tested/ }))
      await person.click(page.getByRole('button', { name: 'Run trial 1', exact: true }))
      await page.getByText(/^It (lost|earned)/).waitFor()
      await person.click(page.getByText('Advanced', { exact: true }))
      await person.click(page.getByRole('textbox', { name: 'No-trade band' }))
      await person.type('0.02')
      await person.click(page.getByRole('button', { name: 'Run trial 2', exact: true }))
      const trials = page.getByRole('navigation', { name: 'Trials of this idea' })
      await trials.getByRole('button', { name: /^2 No-trade band/ }).waitFor()
      await person.click(trials.getByRole('button', { name: 'Compare' }))
      await page.getByRole('heading', { name: 'What differs in the recipes' }).waitFor()
    },
  },
  {
    name: 'Tear sheet of three portfolios',
    goal: 8,
    async run(person) {
      const { page } = person
      await person.screen('Portfolios')
      await person.click(page.getByRole('button', { name: 'momentum_ls.20', exact: true }))
      await person.click(page.getByRole('button', { name: 'Compare …' }))
      await person.click(page.getByRole('group', { name: 'Compare with' }).getByLabel('Portfolio'))
      await person.type('carry_ls.20 trend_ls.20')
      await person.press('Enter')
      await page.getByRole('grid', { name: 'Side by side' }).getByText('trend_ls.20').waitFor()
    },
  },
  {
    name: 'Morning',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Watch')
      await page.getByRole('complementary', { name: 'Since the last visit' }).waitFor()
      await page.getByRole('grid', { name: 'Watched symbols' }).getByText('GRT-USDT:USDT').waitFor()
    },
  },
  {
    name: 'Check from a cell',
    goal: null,
    async run(person) {
      const { page } = person
      const row = page.getByRole('grid', { name: 'Watched symbols' }).getByRole('row').nth(1)
      await person.click(row.getByRole('gridcell').nth(4), { button: 'right' })
      await person.click(page.getByRole('menuitem', { name: /^New check from this cell/ }))
      await page.getByText(/^It would have had/).waitFor()
      await person.type('hot')
      await person.click(page.getByRole('button', { name: 'Save check' }))
      await page.getByText('Saved check “hot”').waitFor()
    },
  },
  {
    name: 'Playbook for a symbol',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Boards')
      await person.click(page.getByRole('button', { name: /^Funding/ }))
      await person.click(page.getByLabel('Symbol'))
      await person.type('perpetual-GRT-USDT:USDT')
      await person.press('Tab')
      await person.click(page.getByRole('button', { name: /^(Download and open|Open)$/ }))
      await page.waitForURL(/#\/boards\/.+/)
      await page.getByText(/^Funding rate · GRT/).waitFor()
    },
  },
  {
    name: 'SQL result charted',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('SQL')
      await person.click(page.getByRole('button', { name: /^Last funding by symbol/ }))
      await page.getByRole('textbox', { name: 'Query' }).waitFor()
      await person.click(page.getByRole('button', { name: 'Run', exact: true }))
      await page.getByText(/\d+ rows? in/).waitFor()
      await person.click(page.getByText('Chart', { exact: true }))
      await page.getByRole('img', { name: 'funding_rate over time' }).waitFor()
    },
  },
  {
    name: 'Plan of trades exported',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Portfolios')
      await person.click(page.getByRole('link', { name: 'Book', exact: true }))
      await person.click(page.getByLabel('Portfolio or id'))
      await person.type('momentum_ls.20')
      await person.click(page.getByRole('button', { name: 'Plan trades' }))
      const csv = page.getByRole('button', { name: /^CSV of/ }).first()
      const [download] = await Promise.all([page.waitForEvent('download'), person.click(csv)])
      await download.delete()
    },
  },
]

/** Waits until nothing is queued any more. */
const downloaded = (page) => page.getByRole('link', { name: 'Queue 0', exact: true }).waitFor({ timeout: 240_000 })
