import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { useFiles } from '../../renderer/stores/files.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import BackupPart from '../../renderer/views/settings/BackupPart.vue'
import { button, mountWithHost } from './mountWithHost.ts'

it('saves a backup and lists what it holds', async () => {
  const written = { name: 'perpscope-2026-11-23.backup', path: null, bytes: 900 }
  const { wrapper, host } = await mountWithHost(BackupPart, {}, (host) => {
    host.answer('app.backup', () => ({ ...written, items: { workspaces: 3, labStudies: 2, ledger: 204, sets: 0 } }))
  })
  await button(wrapper, 'Back up …').trigger('click')
  await flushPromises()
  expect(host.calls.at(-1)).toEqual(['app.backup', {}])
  expect(wrapper.findAll('tbody tr').map((row) => row.text())).toEqual([
    'Workspaces3',
    'Studies and tests2',
    'Ledger entries204',
  ])
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

it('asks before a restore over things in use, and says that the next start finishes it', async () => {
  const staged = { name: 'old.backup', items: { workspaces: 3, ledger: 7 } }
  let isWaiting = false
  const { wrapper, host } = await mountWithHost(BackupPart, {}, (host) => {
    host.answer('app.info', () => ({ version: '1', notices: [], restore: isWaiting ? staged : null }) as never)
    host.answer('app.restore', ({ replace }: { replace: boolean }) => {
      isWaiting = replace
      return { ...staged, state: replace ? 'ready' : 'in-use' }
    })
    host.answer('app.cancelRestore', () => ((isWaiting = false), null))
  })
  await useFiles().start(() => {}, {} as never)
  await button(wrapper, 'Restore …').trigger('click')
  host.emit('files.received', [{ id: 'f1', name: 'old.backup', sizeBytes: 900 }])
  await flushPromises()
  expect(document.body.textContent).toContain(
    'This data folder already holds your work. At the next start, old.backup replaces',
  )
  expect(isWaiting).toBe(false)
  const confirm = [...document.querySelectorAll('button')].find(
    (each) => each.textContent === 'Replace at the next start',
  )
  confirm?.click()
  await flushPromises()
  expect(host.calls).toContainEqual(['app.restore', { file: 'f1', replace: true }])
  expect(wrapper.text()).toContain('old.backup is ready to be restored: quit Perpscope and start it again.')
  await button(wrapper, 'Cancel restore').trigger('click')
  await flushPromises()
  expect(wrapper.text()).not.toContain('ready to be restored')
})
