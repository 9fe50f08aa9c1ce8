import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { useToasts } from '../../renderer/stores/toasts.ts'
import BackupPart from '../../renderer/views/settings/BackupPart.vue'
import { button, mountWithHost } from './mountWithHost.ts'

it('saves a backup, lists what it holds, and says how to restore it', async () => {
  const written = { name: 'perpscope-2026-11-23.backup', path: null, bytes: 900 }
  const { wrapper, host } = await mountWithHost(BackupPart, {}, (host) => {
    host.answer('app.backup', () => ({ ...written, items: { workspaces: 3, labStudies: 2, ledger: 204, sets: 0 } }))
  })
  expect(wrapper.find('code').text()).toBe('perpscope restore FILE')
  await button(wrapper, 'Back up …').trigger('click')
  await flushPromises()
  expect(host.calls.at(-1)).toEqual(['app.backup', {}])
  expect(wrapper.findAll('tbody tr').map((row) => row.text())).toEqual([
    'Workspaces3',
    'Studies and tests2',
    'Entries of the ledger204',
  ])
  expect(wrapper.find('code').text()).toBe('perpscope restore perpscope-2026-11-23.backup')
  expect(useToasts().list).toMatchObject([{ kind: 'done', message: 'Saved perpscope-2026-11-23.backup' }])
})

it('shows nothing where the person declined, and the error where the backup failed', async () => {
  const { wrapper, host } = await mountWithHost(BackupPart, {}, (host) => host.answer('app.backup', () => null))
  await button(wrapper, 'Back up …').trigger('click')
  await flushPromises()
  expect(wrapper.find('table').exists()).toBe(false)
  expect(useToasts().list).toEqual([])
  host.answer('app.backup', () => {
    throw new Error('The disk is full.')
  })
  await button(wrapper, 'Back up …').trigger('click')
  await flushPromises()
  expect(useToasts().list).toMatchObject([{ kind: 'problem' }])
  expect(button(wrapper, 'Back up …').attributes('disabled')).toBeUndefined()
})
