import { expect, it } from 'vitest'
import type { InboxEntry, ListedCheck } from '#shared/contract/areas/inbox.ts'
import { AppError } from '#shared/contract/errors.ts'
import InboxView from '../../renderer/views/inbox/InboxView.vue'
import { useSettings } from '../../renderer/stores/settings.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const checks: ListedCheck[] = [{ name: 'hot', rule: { kind: 'sql', sql: 'SELECT 1' }, series: [], lastRun: null }]
const outcome = { value: null, time: null, rows: 3, why: null }
const hit: InboxEntry = {
  ...{ id: 1, check: 'hot', createdAt: Date.UTC(2026, 7, 1, 12), readAt: 5, snoozedUntil: null },
  ...{ ...outcome, state: 'hit' },
}

const mountInbox = (listed = checks, alarmProblem: string | null = null) =>
  mountWithHost(InboxView, {}, (host) =>
    host.answer('inbox.list', () => ({ checks: listed, entries: [hit], alarmProblem })),
  )

it('says of a check when it last ran, wherever that was, and not what it once found', async () => {
  const { host, wrapper } = await mountInbox()
  const row = () => wrapper.get('[aria-labelledby="inbox-checks"] tbody tr').text()
  await expect.poll(row, { timeout: 30_000 }).toContain('Not run yet')
  const ran = (hour: number, rows: number, state: 'hit' | 'quiet') => {
    const lastRun = { ...outcome, rows, state, ranAt: Date.UTC(2026, 7, 2, hour) }
    host.answer('inbox.list', () => ({ checks: [{ ...checks[0], lastRun }], entries: [hit], alarmProblem: null }))
  }
  ran(6, 0, 'quiet')
  host.emit('inbox.changed', {})
  await expect.poll(row, { timeout: 30_000 }).toMatch(/Quiet.*ran 2026-08-02 06:00/)
  expect(row()).not.toContain('Hit')
  host.answer('inbox.run', () => {
    ran(7, 2, 'hit')
    return []
  })
  await button(wrapper, 'Run checks').trigger('click')
  await expect.poll(row, { timeout: 30_000 }).toMatch(/Hit.*ran 2026-08-02 07:00/)
})

it.each([
  ['true', 'ohlcv.close > 9 (venuea-futures BTC-USDT:USDT 1h, true time)'],
  ['exchange', 'ohlcv.close > 9 (venuea-futures BTC-USDT:USDT 1h, exchange time)'],
] as const)('shows the rule of a check on %s time with its clock', async (timestamp, text) => {
  const place = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT', interval: '1h', timestamp }
  const rule = { kind: 'formula', formula: 'ohlcv.close > 9', ...place } as const
  const { wrapper } = await mountInbox([{ name: 'hot', rule, series: [], lastRun: null }])
  await expect.poll(() => wrapper.find('td.found').exists(), { timeout: 30_000 }).toBe(true)
  expect(wrapper.text()).toContain(text)
})

it('says above everything that no alarm sounds', async () => {
  const { wrapper } = await mountInbox(checks, 'alarms.json is damaged, so that no alarm sounds.')
  await expect.poll(() => wrapper.find('[role=alert]').exists(), { timeout: 30_000 }).toBe(true)
  expect(wrapper.get('[role=alert]').text()).toContain('no alarm sounds')
})

it('asks before it removes a check', async () => {
  const { host, wrapper } = await mountInbox()
  const removed: string[] = []
  host.answer('inbox.removeCheck', ({ name }) => {
    removed.push(name)
    return null
  })
  await expect.poll(() => wrapper.find('[aria-label="Remove check hot"]').exists(), { timeout: 30_000 }).toBe(true)
  await wrapper.get('[aria-label="Remove check hot"]').trigger('click')
  expect(removed).toEqual([])
  const confirm = () => [...document.querySelectorAll<HTMLElement>('button.danger')].at(-1)
  await expect.poll(confirm, { timeout: 30_000 }).toBeTruthy()
  confirm()?.click()
  await expect.poll(() => removed, { timeout: 30_000 }).toEqual(['hot'])
})

const inDialog = <Kind extends Element>(selector: string) => document.querySelector<Kind>(`[role=dialog] ${selector}`)!
function type(selector: string, value: string): void {
  const field = inDialog<HTMLInputElement>(selector)
  field.value = value
  field.dispatchEvent(new Event('input'))
}

it('edits a check in its place, and shows why a rule is refused', async () => {
  const { host, wrapper } = await mountInbox()
  const saved: unknown[] = []
  host.answer('coverage.cachedSeries', () => ({ rows: 0, columns: [] }))
  host.answer('inbox.saveCheck', (input) => {
    saved.push(input)
    if (saved.length === 1) throw new AppError('conflict', 'A check named “cold” already exists.')
    return null
  })
  await expect.poll(() => wrapper.find('[aria-label="Edit check hot"]').exists(), { timeout: 30_000 }).toBe(true)
  await wrapper.get('[aria-label="Edit check hot"]').trigger('click')
  await expect.poll(() => inDialog<HTMLTextAreaElement>('textarea')?.value, { timeout: 30_000 }).toBe('SELECT 1')
  type('textarea', 'SELECT 2')
  type('input.text-input', 'cold')
  inDialog('form').dispatchEvent(new Event('submit'))
  await expect.poll(() => inDialog('[role=alert]')?.textContent, { timeout: 30_000 }).toContain('“cold” already')
  type('input.text-input', 'hot')
  inDialog('form').dispatchEvent(new Event('submit'))
  const rule = { kind: 'sql', sql: 'SELECT 2' }
  await expect
    .poll(() => saved.at(1), { timeout: 30_000 })
    .toEqual({ name: 'hot', rule, replaces: 'hot', connectionId: 'sandbox' })
})

it('writes a function of one’s own out before a check is saved', async () => {
  const gap = { name: 'gap', parameters: ['x', 'y'], formula: 'abs(x - y)' }
  const place = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT', interval: '1h' } as const
  const rule = { kind: 'formula', formula: 'ohlcv.close > 9', ...place, timestamp: 'exchange' } as const
  const { host, wrapper } = await mountInbox([{ name: 'hot', rule, series: [], lastRun: null }])
  const saved: unknown[] = []
  host.answer('coverage.cachedSeries', () => ({ rows: 0, columns: [] }))
  host.answer('inbox.saveCheck', (input) => {
    saved.push(input.rule)
    return null
  })
  const settings = useSettings()
  await settings.change({ formulaFunctions: [gap] })
  await expect.poll(() => wrapper.find('[aria-label="Edit check hot"]').exists(), { timeout: 30_000 }).toBe(true)
  await wrapper.get('[aria-label="Edit check hot"]').trigger('click')
  await expect.poll(() => inDialog<HTMLTextAreaElement>('textarea')?.value, { timeout: 30_000 }).toBe('ohlcv.close > 9')
  type('textarea', 'gap(ohlcv.close, 3)')
  inDialog('form').dispatchEvent(new Event('submit'))
  await expect.poll(() => saved, { timeout: 30_000 }).toEqual([{ ...rule, formula: 'abs(ohlcv.close - 3)' }])
})
