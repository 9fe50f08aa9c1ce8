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
    name: '12 symbols of the sample indexed',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Workbench')
      await page.getByRole('application').first().waitFor()
      await person.press('v')
      const dialog = page.getByRole('dialog', { name: 'Compare' })
      await dialog.getByRole('option').first().waitFor()
      await person.write(TWELVE)
      await person.press('Enter')
      await person.press('Control+Enter')
      await dialog.waitFor({ state: 'hidden' })
      await page.getByText('start of view = 100').first().waitFor()
    },
  },
  {
    name: 'Lead–lag of the first two',
    goal: null,
    async run(person) {
      const { page } = person
      await person.click(page.getByText('Relationships', { exact: true }))
      await page
        .getByText(/, by lag$/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'Spike, and its trades',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Workbench')
      await person.click(page.getByRole('application').first(), { button: 'right' })
      await person.click(page.getByRole('menuitem', { name: 'Trades here' }))
      await person.click(page.getByRole('button', { name: /^Download trades and quotes of / }))
      await page.getByText(/^[\d\s]+ trades?: bought /).waitFor()
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
    name: 'SQL result charted, and on a board',
    goal: 13,
    async run(person) {
      const { page } = person
      await person.screen('SQL')
      await person.click(page.getByRole('button', { name: /^Last funding by symbol/ }))
      await page.getByRole('textbox', { name: 'Query' }).waitFor()
      await person.click(page.getByRole('button', { name: 'Run', exact: true }))
      await page.getByText(/\d+ rows? in/).waitFor()
      await person.click(page.getByText('Chart', { exact: true }))
      await page.getByRole('img', { name: /^funding_rate .*by / }).waitFor()
      await person.click(page.getByRole('button', { name: 'Export' }))
      await person.click(page.getByRole('menuitem', { name: 'Add to board …' }))
      await person.click(page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }))
      await person.click(page.getByRole('button', { name: 'Open board' }))
      await page.getByRole('img', { name: /^funding_rate .*by / }).waitFor()
    },
  },
  {
    name: 'Own file charted',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Raw events')
      await person.click(page.getByRole('link', { name: 'Your datasets' }))
      await person.give(page.getByRole('button', { name: 'Choose a file' }), ownFile)
      await person.click(page.getByRole('button', { name: 'Add dataset' }))
      await page.getByText('own_sentiment was added.').waitFor()
      await person.screen('Workbench')
      await page.getByRole('application').first().waitFor()
      await person.press('a')
      const options = page.getByRole('dialog').getByRole('option')
      await options.first().waitFor()
      await person.write('sentiment')
      await options
        .filter({ hasText: /sentiment/i })
        .first()
        .waitFor()
      await person.press('Enter')
      // The second choice is the symbol, which stays as it is.
      await person.press('Enter')
      await page.locator('.chart-legend').getByText(/score/).first().waitFor()
    },
  },
  {
    name: 'Fault of the data accepted',
    goal: null,
    async run(person) {
      const { page } = person
      await person.screen('Data')
      await person.click(page.getByRole('navigation', { name: 'Data' }).getByRole('link', { name: 'Quality' }))
      const series = page.getByRole('grid', { name: 'Findings by series and day' }).getByRole('row').nth(1)
      await person.open(series.getByRole('gridcell').first())
      const finding = page.getByRole('grid', { name: 'Findings', exact: true }).getByRole('row').nth(1)
      await person.click(finding.getByRole('gridcell').first())
      await person.click(page.getByRole('button', { name: 'Accept …' }))
      await person.type('maintenance of the venue')
      await person.click(page.getByRole('button', { name: 'Save', exact: true }))
      await page.getByText(/, 1 accepted/).waitFor()
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

const TWELVE = 'BTC ETH SOL XRP DOGE ADA AVAX LINK GRT ENJ IOST LTC'

const MS_PER_DAY = 86_400_000
const OWN_DAYS = 28
const WRONG_DAY = 20

/** A daily file such as a desk keeps, up to yesterday, with a number that somebody has mistyped. */
const ownFile = {
  name: 'sentiment.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'time,score',
      ...Array.from({ length: OWN_DAYS }, (_, at) => {
        const day = new Date(Date.now() - (OWN_DAYS - at) * MS_PER_DAY).toISOString().slice(0, 10)
        return `${day},${at === WRONG_DAY ? 50_000 : 50 + (at % 7)}`
      }),
    ].join('\n'),
  ),
}

/** Waits until nothing is queued any more. */
const downloaded = (page) => page.getByRole('link', { name: 'Queue 0', exact: true }).waitFor({ timeout: 240_000 })
