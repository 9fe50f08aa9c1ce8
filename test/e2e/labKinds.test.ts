import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { LabKind } from '#shared/lab/kinds.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { findingsInBothThemes } from './axe.ts'
import { openDesk, openWindow, useBrowser } from './harness.ts'

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

it('shows the result of each kind to everyone, in both themes and with all its tables', async () => {
  const desk = await openDesk()
  const client = desk.app.clientFor(fakeHost())
  const { page } = await openWindow(desk.host.url)
  for (const [kind, study, panel] of studies) {
    const opened = { version: 1 as const, study, panel: { path: panelOf(panel), against: null } }
    const { id } = await client.call('documents.create', { kind: 'study', name: kind, document: opened })
    await client.call('lab.run', { id, document: opened })
    await page.evaluate((to) => (location.hash = to), `#/lab/${id}`)
    await page.getByRole('heading', { name: `Lab: ${kind}`, exact: true }).waitFor(patience)
    await page.locator('.answer .verdict').first().waitFor(patience)
    const more = page.locator('.answer details:not([open]) > summary')
    while ((await more.count()) > 0) await more.first().click()
    expect(await findingsInBothThemes(page), kind).toEqual([])
  }
}, 300_000)
