import { flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { expect, it, onTestFinished, vi } from 'vitest'
import { h } from 'vue'
import { useDialogWork } from '../../renderer/components/dialogWork.ts'
import DialogSheet from '../../renderer/components/DialogSheet.vue'
import { useHost } from '../../renderer/stores/host.ts'
import { useReports } from '../../renderer/stores/reports.ts'
import { fakeWindowHost } from '../fakes/fakeWindowHost.ts'

it('saves one report however often its button is pressed meanwhile', async () => {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  host.answer('report.save', () => Promise.resolve({ name: 'r.html', path: null, sources: 1 }))
  const savings = () => host.calls.filter(([name]) => name === 'report.save').length
  const query = { kind: 'sql', sql: 'SELECT 1', parameters: {} } as const
  const reports = useReports()
  await Promise.all([reports.save(query), reports.save(query), reports.save({ ...query, sql: 'SELECT 2' })])
  expect(savings()).toBe(2)
  await reports.save(query)
  expect(savings()).toBe(3)
})

/** Opens a dialog with a button that acts and closes. */
async function openDialog(act: () => void): Promise<HTMLButtonElement> {
  const button = ({ close }: { close: () => void }) => h('button', { onClick: () => (act(), close()) }, 'Done')
  const wrapper = mount(DialogSheet, {
    props: { label: 'Formula', width: '400px' },
    slots: { default: button },
    attachTo: document.body,
  })
  onTestFinished(() => wrapper.unmount())
  await flushPromises()
  return document.querySelector<HTMLButtonElement>('[role=dialog] button')!
}

it('acts once when the main button of a dialog is clicked twice', async () => {
  const act = vi.fn<() => void>()
  const done = await openDialog(act)
  done.click()
  done.click()
  await flushPromises()
  done.click()
  expect(act).toHaveBeenCalledTimes(1)
})

it('does not run the work of a dialog again while it runs', async () => {
  const { finish } = useDialogWork()
  const work = vi.fn(() => Promise.resolve())
  const close = vi.fn<() => void>()
  await Promise.all([finish(close, work), finish(close, work)])
  expect([work, close].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  await finish(close, () => Promise.reject(new Error('no')))
  await finish(close, work)
  expect(work).toHaveBeenCalledTimes(2)
})

it('stays open when the second click of the gesture that opened it falls outside', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
  onTestFinished(() => now.mockRestore())
  await openDialog(() => {})
  const isOpen = () => document.querySelector('[role=dialog]')?.closest('[style*="display: none"]') === null
  const clickOutside = async () => {
    const outside = document.querySelector<HTMLElement>('.n-modal-mask')!
    for (const type of ['mousedown', 'mouseup', 'click']) outside.dispatchEvent(new MouseEvent(type, { bubbles: true }))
    await flushPromises()
  }
  now.mockReturnValue(1130)
  await clickOutside()
  expect(isOpen()).toBe(true)
  now.mockReturnValue(2000)
  await clickOutside()
  expect(isOpen()).toBe(false)
})

it('stays open when a dialog above it is clicked', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000)
  onTestFinished(() => now.mockRestore())
  await openDialog(() => {})
  await openDialog(() => {})
  now.mockReturnValue(2000)
  const [below, above] = document.querySelectorAll<HTMLElement>('[role=dialog]')
  const button = above.querySelector('button')!
  for (const type of ['mousedown', 'mouseup']) button.dispatchEvent(new MouseEvent(type, { bubbles: true }))
  await flushPromises()
  expect(below.closest('[style*="display: none"]')).toBeNull()
})
