import { expect, it, onTestFinished, vi } from 'vitest'
import type { VueWrapper } from '@vue/test-utils'
import InstrumentsSection from '../../renderer/views/settings/InstrumentsSection.vue'
import TrialsView from '../../renderer/views/lab/TrialsView.vue'
import DocumentTable from '../../renderer/views/DocumentTable.vue'
import PlanTable from '../../renderer/views/sql/PlanTable.vue'
import { mountWithHost } from './mountWithHost.ts'
import { instrumentRow } from '../fakes/instrumentRow.ts'

const items = () => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
const titles = () => items().map((each) => each.querySelector('span:not(.faint)')?.textContent?.trim())
const choose = (title: string) => items()[titles().indexOf(title)].click()
/** Opens the menu of a data table's first row with the keyboard. */
async function openMenu(wrapper: VueWrapper): Promise<void> {
  const grid = wrapper.get('[role=grid]')
  await grid.trigger('keydown', { key: 'ArrowDown' })
  await grid.trigger('keydown', { key: 'ContextMenu' })
  await expect.poll(() => items().length).toBeGreaterThan(0)
}

it('leads from an instrument to its candles, a download and all of its files', async () => {
  const instrument = instrumentRow({ exchange: 'v1', symbol: 'BTC', contract_size: 0.1 })
  const { wrapper, router } = await mountWithHost(InstrumentsSection, {}, (host) =>
    host.answer('instruments.list', () => [instrument]),
  )
  await expect.poll(() => wrapper.find('tbody tr').exists()).toBe(true)
  await wrapper.get('tbody tr').trigger('keydown', { key: 'F10', shiftKey: true })
  expect(titles()).toEqual(['Show in chart', 'Download …', 'Remove from cache …', 'Copy row'])
  choose('Remove from cache …')
  await expect.poll(() => router.currentRoute.value.fullPath).toBe('/settings/cache?exchange=v1&symbol=BTC')
})

it('makes a new test of the signal of a trial family, and copies it', async () => {
  const family = {
    family: 'a'.repeat(64),
    name: 'Carry',
    signal: '-sma(funding.funding_rate, 24)',
    rule: 'ranks',
    kind: 'portfolio' as const,
  }
  const figures = {
    interval: '1h',
    runs: 3,
    trials: 3,
    best: 1,
    median: 0.5,
    bestDeflated: 0.2,
    firstTime: 0,
    lastTime: 0,
  }
  const overview = { entries: 3, trials: 3, distribution: null, reset: null, lost: null, notices: [], copyPath: '' }
  const { wrapper, router, host } = await mountWithHost(TrialsView, {}, (fake) => {
    fake.answer('ledger.overview', () => ({ ...overview, families: [{ ...family, ...figures, holdout: null }] }))
    fake.answer('documents.create', () => ({ id: 's1' }) as never)
    fake.answer('documents.list', () => [])
  })
  await expect.poll(() => wrapper.find('[role=row][data-row]').exists()).toBe(true)
  await openMenu(wrapper)
  expect(titles().slice(0, 3)).toEqual(['Open', 'New test of this signal', 'Copy signal'])
  choose('New test of this signal')
  await expect.poll(() => router.currentRoute.value.path).toBe('/lab/s1')
  const study = { version: 1, kind: 'portfolio', interval: '1h', signal: family.signal }
  expect(host.calls.find(([name]) => name === 'documents.create')?.[1]).toEqual({
    kind: 'study',
    name: 'Carry',
    document: { version: 1, study, panel: null },
  })
})

it('copies a whole plan from any of its operators', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>(async () => {})
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
  const operator = { depth: 0, name: 'FILTER', timeMs: 2, rows: 10, detail: 'x > 1' }
  const operators = [operator, { ...operator, depth: 1, name: 'SCAN', detail: 'ohlcv' }]
  const { wrapper } = await mountWithHost(PlanTable, { operators, totalMs: 4 })
  await expect.poll(() => wrapper.find('[role=row][data-row]').exists()).toBe(true)
  await openMenu(wrapper)
  choose('Copy plan')
  await expect.poll(() => writeText.mock.calls.length).toBe(1)
  expect(writeText.mock.calls[0][0].split('\n').map((line) => line.split('\t')[0].trim())).toEqual([
    'Operator',
    'FILTER',
    'SCAN',
  ])
  vi.unstubAllGlobals()
})

it('opens a document of a list by a click on its name', async () => {
  const list = ['first', 'second'].map((name) => ({ id: `id of ${name}`, name, changedAt: 0 }))
  const columns = [{ key: 'name', title: 'Name', kind: 'text' as const }]
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  onTestFinished(() => void vi.restoreAllMocks())
  const menu = { duplicate: 'Duplicate', rename: 'Rename', remove: 'Remove' }
  const { wrapper } = await mountWithHost(DocumentTable, {
    ...{ list, label: 'Boards', columns, facts: {}, menu },
    layoutKey: 'list of the test',
  })
  const name = () => wrapper.find('[role=gridcell] button')
  await expect.poll(() => name().exists()).toBe(true)
  await name().trigger('click')
  expect(wrapper.emitted('actOn')).toEqual([['id of first', 'open']])
})
