import { expect, it, vi } from 'vitest'
import { createFolderKinds } from '#core/documents/documentKinds.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { endOfTest } from '../../fakes/sharedByTests.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function openQueries() {
  const store = openStore({ dataDir: temporaryFolder(), clock: fakeClock(), log: fakeLog() })
  endOfTest(() => store.close())
  const kind = createFolderKinds(store, fakeClock()).find((each) => each.kind === 'query')!
  const texts = () => kind.list().map((own) => ('text' in own ? own.text : own.problem))
  return { store, kind, texts }
}

const query = (sql: string) => ({ version: 1 as const, sql, parameters: {} })

it('reads documents again only where one of them has changed, because a folder is looked at every few seconds', () => {
  const { store, texts } = openQueries()
  const { id } = store.queries.create('Daily', query('SELECT 1'))
  expect(texts().join()).toContain('SELECT 1')
  const read = vi.spyOn(store.queries, 'read')
  expect(texts().join()).toContain('SELECT 1')
  expect(read).not.toHaveBeenCalled()
  store.queries.save(id, query('SELECT 2'))
  expect(texts().join()).toContain('SELECT 2')
})

it('notices a name, and a document that went and came under the same id', () => {
  const { store, kind, texts } = openQueries()
  const { id } = store.queries.create('Daily', query('SELECT 1'))
  texts()
  store.queries.rename(id, 'Weekly')
  expect(kind.list().map(({ name }) => name)).toEqual(['Weekly'])
  store.queries.remove(id)
  expect(texts()).toEqual([])
  store.queries.put(id, 'Weekly', query('SELECT 3'))
  expect(texts().join()).toContain('SELECT 3')
})
