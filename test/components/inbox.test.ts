import { expect, it } from 'vitest'
import type { InboxEntry, ListedCheck, RanCheck } from '#shared/contract/areas/inbox.ts'
import InboxView from '../../renderer/views/inbox/InboxView.vue'
import { button, mountWithHost } from './mountWithHost.ts'

const checks: ListedCheck[] = [{ name: 'hot', rule: { kind: 'sql', sql: 'SELECT 1' }, series: [] }]
const outcome = { value: null, time: null, rows: 3, why: null }
const hit: InboxEntry = {
  ...{ id: 1, check: 'hot', createdAt: Date.UTC(2026, 7, 1, 12), readAt: 5, snoozedUntil: null },
  ...{ ...outcome, state: 'hit' },
}

const mountInbox = (ran: RanCheck[]) =>
  mountWithHost(InboxView, {}, (host) => {
    host.answer('inbox.list', () => ({ checks, entries: [hit] }))
    host.answer('inbox.run', () => ran)
  })

it('says when a check found something, and does not call that its last result', async () => {
  const { wrapper } = await mountInbox([{ ...outcome, name: 'hot', rows: 0, state: 'quiet' }])
  const row = () => wrapper.get('[aria-labelledby="inbox-checks"] tbody tr').text()
  await expect.poll(row, { timeout: 30_000 }).toContain('Not run in this window yet; last entry: Hit, 2026-08-01 12:00')
  await button(wrapper, 'Run checks').trigger('click')
  await expect.poll(row, { timeout: 30_000 }).toContain('Quiet')
  expect(row()).not.toContain('Hit')
})

it('asks before it removes a check', async () => {
  const { host, wrapper } = await mountInbox([])
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
