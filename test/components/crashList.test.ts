import { flushPromises } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { useApp } from '../../renderer/stores/app.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import CrashList from '../../renderer/views/settings/CrashList.vue'
import { button, mountWithHost } from './mountWithHost.ts'

it('shows the reports on failed processes, and deletes them', async () => {
  const report = { time: 0, process: 'GPU process', reason: 'crashed (3)', version: '1.2.3', detail: 'at gpu.js' }
  const { wrapper, host } = await mountWithHost(CrashList, {}, (host) => {
    host.answer('app.crashes', () => [report])
    host.answer('app.removeCrashes', () => null)
  })
  await flushPromises()
  expect(wrapper.find('summary').text()).toContain('GPU process: crashed (3) · version 1.2.3')
  expect(wrapper.find('pre').text()).toBe('at gpu.js')
  const copied = vi.fn(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } })
  await button(wrapper, 'Copy report').trigger('click')
  await flushPromises()
  vi.unstubAllGlobals()
  expect(copied).toHaveBeenCalledWith(
    expect.stringMatching(/GPU process: crashed \(3\) · version 1\.2\.3\nat gpu\.js$/),
  )
  expect(wrapper.text()).toContain('Copied')
  await button(wrapper, 'Delete all').trigger('click')
  await flushPromises()
  expect(host.calls.at(-1)).toEqual(['app.removeCrashes', {}])
  expect(wrapper.text()).toContain('None.')
})

it('says that a helper process failed', async () => {
  const { host } = await mountWithHost({ template: '<i />' }, {}, (host) =>
    host.answer('app.info', () => ({ version: '1' }) as never),
  )
  await useApp().start()
  host.emit('app.recovered', { message: 'The graphics process failed.' })
  expect(useToasts().list).toMatchObject([{ kind: 'problem', message: 'The graphics process failed.' }])
})
