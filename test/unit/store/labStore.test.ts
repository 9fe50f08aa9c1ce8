import { expect, onTestFinished, test } from 'vitest'
import type { LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import { openStore } from '#core/store/store.ts'
import { fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open() {
  const { clock, log } = fakePorts()
  const store = openStore({ dataDir: temporaryFolder(), clock, log })
  onTestFinished(() => store.close())
  return store.lab
}

const document = (kind: string): LabDocument => ({ version: 1, study: { version: 1, kind }, panel: null })
const answer = {
  ranAt: 7,
  document: document('signal'),
  result: { kind: 'signal', warnings: [] },
} as unknown as StudyAnswer

test('a half-typed study is kept as it is, and its kind is listed', () => {
  const lab = open()
  const { id, revision } = lab.create('Carry', document('sig'))
  expect(lab.list()).toMatchObject([{ id, name: 'Carry', kind: null, ranAt: null }])
  expect(lab.save(id, document('signal'), revision)).toBe(2)
  expect(lab.list()).toMatchObject([{ kind: 'signal' }])
  expect(lab.read(id)).toEqual({ id, name: 'Carry', document: document('signal'), revision: 2 })
})

test('a taken name gets a number, and none is taken by renaming', () => {
  const lab = open()
  expect(['Carry', 'carry'].map((name) => lab.create(name, document('signal')).name)).toEqual(['Carry', 'carry 2'])
  const [{ id }] = lab.list().filter(({ name }) => name === 'carry 2')
  expect(() => lab.rename(id, 'CARRY')).toThrow('named “CARRY” already')
  expect(lab.rename(id, 'Basis').name).toBe('Basis')
})

test('a save that began with an older study is refused', () => {
  const lab = open()
  const { id, revision } = lab.create('Carry', document('signal'))
  lab.save(id, document('events'), revision)
  expect(() => lab.save(id, document('leadlag'), revision)).toThrow('changed in another window')
  expect(lab.read(id).document).toEqual(document('events'))
})

test('the last answer comes back whole, and goes with its study', () => {
  const lab = open()
  const { id } = lab.create('Carry', document('signal'))
  expect(lab.answer(id)).toBeNull()
  const before = lab.revision()
  lab.keepAnswer(id, answer)
  expect(lab.answer(id)).toEqual(answer)
  expect(lab.revision()).not.toBe(before)
  expect(lab.list()).toMatchObject([{ ranAt: 7 }])
  lab.remove(id)
  expect(() => lab.answer(id)).toThrow('no longer exists')
  expect(() => lab.keepAnswer(id, answer)).not.toThrow()
})
