import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { addNote } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open() {
  const { clock, log } = fakePorts()
  const store = openStore({ dataDir: temporaryFolder(), clock, log })
  onTestFinished(() => store.close())
  return store
}
const noted = addNote(emptyDocument(), 5, 'the crash')

test('what was saved is there when it is opened again', () => {
  const { workspace: workspaces } = open().documents
  const { id, revision } = workspaces.create('Basis', emptyDocument())
  expect(workspaces.save(id, noted, revision)).toBe(revision + 1)
  expect(workspaces.read(id)).toMatchObject({ name: 'Basis', document: noted, revision: revision + 1 })
  expect(workspaces.list()).toMatchObject([{ id, name: 'Basis', series: 0 }])
  workspaces.remove(id)
  expect(() => workspaces.read(id)).toThrow('no longer exists')
  expect(() => workspaces.remove(id)).toThrow('no longer exists')
})

test('a taken name gets a number, and none is taken by renaming', () => {
  const { workspace: workspaces } = open().documents
  expect(['Basis', 'basis', 'Basis 2'].map((name) => workspaces.create(name, emptyDocument()).name)).toEqual([
    'Basis',
    'basis 2',
    'Basis 3',
  ])
  const [{ id }] = workspaces.list().filter(({ name }) => name === 'Basis 3')
  expect(() => workspaces.rename(id, 'BASIS')).toThrow('named “BASIS” already')
  expect(workspaces.rename(id, 'Funding').name).toBe('Funding')
  expect(workspaces.rename(id, 'FUNDING').name).toBe('FUNDING')
})

test('a quick look is listed with its link', () => {
  const { workspace: workspaces } = open().documents
  workspaces.create('Basis', emptyDocument())
  workspaces.create('Look', { ...emptyDocument(), quickLook: 'the link' })
  expect(Object.fromEntries(workspaces.list().map(({ name, quickLook }) => [name, quickLook]))).toEqual({
    Basis: null,
    Look: 'the link',
  })
})

test('a save that began with an older document is refused, and nothing is lost', () => {
  const { workspace: workspaces } = open().documents
  const { id, revision } = workspaces.create('Basis', emptyDocument())
  const before = workspaces.revision()
  workspaces.save(id, noted, revision)
  expect(workspaces.revision()).not.toBe(before)
  expect(() => workspaces.save(id, emptyDocument(), revision)).toThrow('another window')
  expect(workspaces.read(id).document).toEqual(noted)
})

test('a document of a newer version is refused with a reason', () => {
  const store = open()
  const { id } = store.documents.workspace.create('Basis', emptyDocument())
  store.database.writes.run('UPDATE user_documents SET body = ? WHERE id = ?', '{"version": 7}', id)
  expect(() => store.documents.workspace.read(id)).toThrow(/newer version of Perpscope/)
  expect(store.documents.workspace.list()).toHaveLength(1)
})

test('documents of different kinds may have one name, and none shows another kind', () => {
  const { workspace, board } = open().documents
  const made = workspace.create('Basis', emptyDocument())
  expect(board.create('Basis', { version: 1, parts: [] }).name).toBe('Basis')
  expect(() => board.read(made.id)).toThrow('The board no longer exists.')
  expect(() => board.remove(made.id)).toThrow('The board no longer exists.')
  expect([workspace, board].map((each) => each.list().length)).toEqual([1, 1])
})

test('who reads the index finds workspaces in the view of that name', () => {
  const { documents, database } = open()
  const { id } = documents.workspace.create('Basis', noted)
  expect(database.reads.all('SELECT id, name, document, series, revision FROM workspaces')).toEqual([
    { id, name: 'Basis', document: JSON.stringify(noted), series: 0, revision: 1 },
  ])
})
