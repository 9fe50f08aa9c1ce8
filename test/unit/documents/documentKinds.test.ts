import { expect, it, vi } from 'vitest'
import { createFolderKinds } from '#core/documents/documentKinds.ts'
import { keptDocument } from '#shared/workspace/quickLook.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { endOfTest } from '../../fakes/sharedByTests.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function openQueries() {
  const store = openStore({ dataDir: temporaryFolder(), clock: fakeClock(), log: fakeLog() })
  endOfTest(() => store.close())
  const kind = createFolderKinds(store).find((each) => each.kind === 'query')!
  const texts = () => kind.list().map((own) => ('text' in own ? own.text : own.problem))
  return { store, kind, texts }
}

const query = (sql: string) => ({ version: 1 as const, sql, parameters: {} })

it('reads documents again only where one of them has changed, because a folder is looked at every few seconds', () => {
  const { store, texts } = openQueries()
  const { id } = store.documents.query.create('Daily', query('SELECT 1'))
  expect(texts().join()).toContain('SELECT 1')
  const read = vi.spyOn(store.documents.query, 'read')
  expect(texts().join()).toContain('SELECT 1')
  expect(read).not.toHaveBeenCalled()
  store.documents.query.save(id, query('SELECT 2'))
  expect(texts().join()).toContain('SELECT 2')
})

it('writes no quick look to the folder until it is kept, and reads one from a file as a workspace', () => {
  const store = openStore({ dataDir: temporaryFolder(), clock: fakeClock(), log: fakeLog() })
  endOfTest(() => store.close())
  const kind = createFolderKinds(store).find((each) => each.kind === 'workspace')!
  const look = store.documents.workspace.create('BTC', { ...emptyDocument(), quickLook: 'the link' })
  expect(kind.list()).toEqual([])
  store.documents.workspace.save(look.id, keptDocument(look.document))
  expect(kind.list()).toMatchObject([{ id: look.id, name: 'BTC' }])

  const text = JSON.stringify({ format: 'perpscope workspace', id: 'w9', name: 'ETH', document: look.document })
  const found = kind.read(text, 'ETH')
  if ('problem' in found) throw new Error(found.problem)
  found.put('w9')
  expect(store.documents.workspace.read('w9').document.quickLook).toBeUndefined()
})

it('notices a name, and a document that went and came under the same id', () => {
  const { store, kind, texts } = openQueries()
  const { id } = store.documents.query.create('Daily', query('SELECT 1'))
  texts()
  store.documents.query.rename(id, 'Weekly')
  expect(kind.list().map(({ name }) => name)).toEqual(['Weekly'])
  store.documents.query.remove(id)
  expect(texts()).toEqual([])
  store.documents.query.put(id, 'Weekly', query('SELECT 3'))
  expect(texts().join()).toContain('SELECT 3')
})
