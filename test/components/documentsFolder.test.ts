import { flushPromises } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import type { DocumentsFolder } from '#shared/contract/areas/folder.ts'
import DocumentsSection from '../../renderer/views/settings/DocumentsSection.vue'
import { useDocumentsFolder } from '../../renderer/stores/documentsFolder.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const board = { kind: 'board' as const, id: 'b1', name: 'Morning', file: 'boards/Morning.board.json' }
const ok = { ...board, state: 'ok' as const, detail: null, conflict: null }
const folder = (...documents: DocumentsFolder['documents']): DocumentsFolder => ({
  folder: '/team/docs',
  problem: null,
  documents,
})
const none: DocumentsFolder = { folder: null, problem: null, documents: [] }

it('uses a folder that the person names, shows its documents, and stops', async () => {
  let now = none
  const { wrapper, host } = await mountWithHost(DocumentsSection, {}, (host) => {
    host.answer('folder.list', () => now)
    host.answer('folder.use', () => (now = folder(ok)))
    host.answer('folder.stop', () => {
      now = none
      return null
    })
  })
  await flushPromises()
  expect(button(wrapper, 'Use folder').attributes('disabled')).toBeDefined()
  await wrapper.find('input').setValue('/team/docs')
  await wrapper.find('form').trigger('submit')
  await flushPromises()
  expect(host.calls).toContainEqual(['folder.use', { folder: '/team/docs' }])
  expect(wrapper.findAll('tbody td').map((cell) => cell.text())).toEqual([
    'Board',
    'Morning',
    'boards/Morning.board.json',
    'up to date',
  ])
  await button(wrapper, 'Stop using this folder').trigger('click')
  await flushPromises()
  expect(wrapper.find('table').exists()).toBe(false)
  expect(useToasts().list).toMatchObject([{ message: 'Files and documents stay as they are' }])
})

it('shows both versions of a conflict beside each other and keeps the one that was seen', async () => {
  const conflict = {
    ...ok,
    state: 'conflict' as const,
    detail: 'was changed here and in the folder.',
    conflict: 'changed' as const,
  }
  const { wrapper, host } = await mountWithHost(DocumentsSection, {}, (host) => {
    host.answer('folder.list', () => folder(conflict))
    host.answer('folder.compare', () => ({ name: 'Morning', mine: 'a\nhere\n', file: 'a\nthere\n', seen: 's1' }))
    host.answer('folder.resolve', () => folder(ok))
  })
  await flushPromises()
  // The list shows this message, so no toast is needed; on other screens there is a toast.
  expect(wrapper.find('tbody').text()).toContain('was changed here and in the folder.')
  expect(useToasts().list).toEqual([])
  await button(wrapper, 'Resolve …').trigger('click')
  await flushPromises()
  const cells = [...document.querySelectorAll('[role=dialog] tbody td')].map((cell) => cell.textContent)
  expect(cells).toEqual(['a', 'a', 'here', 'there'])
  const takeButton = [...document.querySelectorAll('button')].find(
    (each) => each.textContent?.trim() === 'Keep the file',
  )
  takeButton?.click()
  await flushPromises()
  expect(host.calls).toContainEqual(['folder.resolve', { kind: 'board', id: 'b1', choice: 'file', seen: 's1' }])
  expect(wrapper.find('tbody').text()).toContain('up to date')
})

it('says on other screens that a document needs the person, and leads to it', async () => {
  let now = folder(ok)
  const { host } = await mountWithHost({ template: '<i />' }, {}, (host) => host.answer('folder.list', () => now))
  const open = vi.fn()
  await useDocumentsFolder().follow(open)
  expect(useToasts().list).toEqual([])
  now = folder({ ...ok, state: 'conflict', detail: 'has two versions in its file.', conflict: 'unmerged' })
  host.emit('folder.changed', {})
  await flushPromises()
  const [{ message, action }] = useToasts().list
  expect(message).toBe('1 document in the documents folder needs your attention')
  action?.run()
  expect(open).toHaveBeenCalledOnce()
})
