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
  const { workspaces } = open()
  const { id, revision } = workspaces.create('Basis', emptyDocument())
  expect(workspaces.save(id, noted, revision)).toBe(revision + 1)
  expect(workspaces.read(id)).toMatchObject({ name: 'Basis', document: noted, revision: revision + 1 })
  expect(workspaces.list()).toMatchObject([{ id, name: 'Basis', series: 0 }])
  workspaces.remove(id)
  expect(() => workspaces.read(id)).toThrow('no longer exists')
  expect(() => workspaces.remove(id)).toThrow('no longer exists')
})

test('a taken name gets a number, and none is taken by renaming', () => {
  const { workspaces } = open()
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
  const { workspaces } = open()
  workspaces.create('Basis', emptyDocument())
  workspaces.create('Look', { ...emptyDocument(), quickLook: 'the link' })
  expect(Object.fromEntries(workspaces.list().map(({ name, quickLook }) => [name, quickLook]))).toEqual({
    Basis: null,
    Look: 'the link',
  })
})

test('a save that began with an older document is refused, and nothing is lost', () => {
  const { workspaces } = open()
  const { id, revision } = workspaces.create('Basis', emptyDocument())
  const before = workspaces.revision()
  workspaces.save(id, noted, revision)
  expect(workspaces.revision()).not.toBe(before)
  expect(() => workspaces.save(id, emptyDocument(), revision)).toThrow('another window')
  expect(workspaces.read(id).document).toEqual(noted)
})

test('a document of a newer version is refused with a reason', () => {
  const store = open()
  const { id } = store.workspaces.create('Basis', emptyDocument())
  store.database.writes.run('UPDATE workspaces SET document = ? WHERE id = ?', '{"version": 7}', id)
  expect(() => store.workspaces.read(id)).toThrow(/newer version of Perpscope/)
  expect(store.workspaces.list()).toHaveLength(1)
})
