import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Client } from '#shared/contract/client.ts'
import type { LabKind } from '#shared/lab/kinds.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { venues } from '../fakes/testVenues.ts'
import { findingsInBothThemes } from './axe.ts'
import { openDesk, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }
const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const panelOf = (name: string) => join(data, 'panels', name)
const written = (name: string) =>
  JSON.parse(readFileSync(join(data, 'studies', name), 'utf8')) as Record<string, unknown>
const onPlanted = (kind: LabKind, fields: Record<string, unknown>) =>
  ({ version: 1, kind, interval: '1h', ...fields }) as Record<string, unknown>

/** A study of each kind that reads a panel. */
const studies: [kind: LabKind, study: Record<string, unknown>, panel: string][] = [
  ['signal', written('v06-planted.json'), 'planted.csv'],
  ['events', written('v14-events.json'), 'quarter.csv'],
  ['leadlag', written('v17-leadlag.json'), 'lead.csv'],
  ['seasonality', written('v20-weekdays.json'), 'week.csv'],
  ['series', onPlanted('series', { signal: 'signal', horizons: [1, 4] }), 'planted.csv'],
  ['screen', onPlanted('screen', { columns: ['signal', 'close'], horizons: [1] }), 'planted.csv'],
  ['schedule', onPlanted('schedule', { value: 'abs(signal)', calibrateDays: 7, minBars: 3 }), 'planted.csv'],
  ['costs', onPlanted('costs', { spreadBps: 'abs(signal)', impact: 'abs(signal)', measured: null }), 'planted.csv'],
  ['spells', onPlanted('spells', { when: 'signal > 0.5' }), 'planted.csv'],
]

const days = { startDay: '2026-08-03', endDay: '2026-08-06' }
const bitcoin = { exchanges: [venues.first], symbols: ['perpetual-BTC-USDT:USDT'] }

/** A study of each kind that reads what only the services have. */
const served: [kind: LabKind, study: Record<string, unknown>][] = [
  [
    'clocks',
    {
      ...{ version: 1, kind: 'clocks', interval: '1h', start: days.startDay, end: days.endDay },
      source: { ...bitcoin, timestamp: 'exchange' },
      columns: ['flow.volume_delta', 'flow.flow_toxicity_score'],
    },
  ],
  [
    'blend',
    {
      ...{ version: 1, kind: 'blend', start: '2026-06-01', end: '2026-08-31' },
      components: [{ from: { factor: 'momentum' } }, { from: { portfolio: 'momentum_ls.20' } }],
    },
  ],
]

/** Runs a study, opens its result with all that is folded, and returns what axe finds in both themes. */
async function findingsOf(page: Page, client: Client, study: Record<string, unknown>, panel: string | null) {
  const name = String(study.kind)
  const panelFiles = panel === null ? null : { path: panelOf(panel), against: null }
  const opened = { version: 1 as const, study, panel: panelFiles }
  const { id } = await client.call('documents.create', { kind: 'study', name, document: opened })
  await client.call('lab.run', { id, document: opened })
  await page.evaluate((to) => (location.hash = to), `#/lab/${id}`)
  await page.getByRole('heading', { name: `Lab: ${name}`, exact: true }).waitFor(patience)
  await page.locator('.answer .verdict').first().waitFor(patience)
  const more = page.locator('.answer details:not([open]) > summary')
  while ((await more.count()) > 0) await more.first().click()
  return findingsInBothThemes(page)
}

it('shows the result of each kind that reads a panel to everyone, in both themes and with all its tables', async () => {
  const desk = await openDesk()
  const client = desk.app.clientFor(fakeHost())
  const { page } = await openWindow(desk.host.url)
  for (const [kind, study, panel] of studies) expect(await findingsOf(page, client, study, panel), kind).toEqual([])
}, 300_000)

it('shows the results of clocks and of blends to everyone, too', async () => {
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const client = desk.app.clientFor(fakeHost())
  const request = { ...bitcoin, ...days, datasets: ['flow'], intervals: ['1h'] }
  await client.call('downloads.enqueue', { request: { ...request, timestamps: ['exchange', 'true'] } })
  await expect.poll(async () => (await client.call('downloads.progress', {})).counts.done, patience).toBe(8)
  const { page } = await openWindow(desk.host.url)
  for (const [kind, study] of served) expect(await findingsOf(page, client, study, null), kind).toEqual([])
}, 300_000)
