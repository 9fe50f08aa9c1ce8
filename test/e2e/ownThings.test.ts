import { openStore } from '#core/store/store.ts'
import { expect, it } from 'vitest'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { openDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 20_000 }

it('watches a list of its own, and accepts a finding of data quality', async () => {
  const desk = await openDesk()
  const store = openStore({ dataDir: desk.dataDir, clock: { nowMs: () => Date.now() }, log: fakeLog() })
  const today = Math.floor(Date.now() / MS_PER_DAY)
  const days = [3, 2, 1].map((back) => dayFromNumber(today - back))
  for (const base of ['BTC', 'ETH']) {
    const hours = Array.from({ length: 72 }, (_, hour) => ({ hour, close: 100 + hour }))
    const rows = hours
      .filter(({ hour }) => base === 'BTC' || hour !== 30)
      .map(({ hour, close }) => ({ time: (today - 3) * MS_PER_DAY + hour * 3_600_000, close, volume: 5 }))
    const series = {
      dataset: 'ohlcv',
      exchange: venues.first,
      symbol: `perpetual-${base}-USDT:USDT`,
      interval: '1h',
    }
    addMetricFiles(store, desk.dataDir, { ...series, columns: ['close', 'volume'], rows }, days)
  }
  store.close()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('switch').click()
  const screens = page.getByRole('navigation', { name: 'Screens' })
  await screens.getByRole('link', { name: 'Watch' }).click()
  const watched = page.getByRole('grid', { name: 'Watched symbols' })
  await watched.getByText('171.00').first().waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.getByRole('menuitem', { name: 'New list …' }).click()
  await page.getByLabel('Name').fill('mine')
  await page
    .getByLabel('Symbols', { exact: true })
    .fill(`${venues.first},perpetual-ETH-USDT:USDT\n${venues.first},perpetual-FOO-USDT:USDT`)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save list' }).click()
  // While the app is offline, it does not know which symbols the venues list, so it shows no warning about the symbol
  // without files.
  await watched.getByText('FOO-USDT:USDT', { exact: true }).waitFor(patience)
  await expect.poll(() => watched.getByRole('row').count()).toBe(3)

  await screens.getByRole('link', { name: 'Data' }).click()
  await page.getByRole('navigation', { name: 'Data' }).getByRole('link', { name: 'Quality' }).click()
  const heat = page.getByRole('grid', { name: 'Findings by series and day' })
  await heat.getByText('ETH-USDT:USDT').first().waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await heat.getByText('ETH-USDT:USDT').first().dblclick()
  const table = page.getByRole('grid', { name: 'Findings', exact: true })
  await table.getByText('Missing').click(patience)
  await page.getByRole('button', { name: 'Accept …' }).click()
  await page.getByLabel('Why is this acceptable?').fill('maintenance of the venue')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('no open findings, 1 accepted').waitFor(patience)
  await page.getByText('Accepted', { exact: true }).click()
  await table.getByText('Missing').waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  // Double-clicking a finding opens the chart at its time.
  await table.getByText('Missing').dblclick()
  await page.waitForURL(/#\/workbench/, patience)
  await page
    .getByText(`ETH · ${venues.first.split('-')[0]}`)
    .first()
    .waitFor(patience)
}, 60_000)
