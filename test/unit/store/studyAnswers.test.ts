import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createStudyAnswers } from '#core/store/studyAnswers.ts'
import type { LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import { openStore } from '#core/store/store.ts'
import { fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open() {
  const { clock, log } = fakePorts()
  const store = openStore({ dataDir: temporaryFolder(), clock, log })
  onTestFinished(() => store.close())
  return { lab: store.documents.study, answers: store.studyAnswers }
}

const document = (kind: string): LabDocument => ({ version: 1, study: { version: 1, kind }, panel: null })
const answer = {
  ranAt: 7,
  document: document('signal'),
  result: { kind: 'signal', warnings: [] },
} as unknown as StudyAnswer

test('a half-typed study is kept as it is, and its kind is listed', () => {
  const { lab } = open()
  const { id, revision } = lab.create('Carry', document('sig'))
  expect(lab.list()).toMatchObject([{ id, name: 'Carry', kind: null, ranAt: null }])
  expect(lab.save(id, document('signal'), revision)).toBe(2)
  expect(lab.list()).toMatchObject([{ kind: 'signal' }])
  expect(lab.read(id)).toEqual({ id, name: 'Carry', document: document('signal'), revision: 2 })
})

test('a taken name gets a number, and none is taken by renaming', () => {
  const { lab } = open()
  expect(['Carry', 'carry'].map((name) => lab.create(name, document('signal')).name)).toEqual(['Carry', 'carry 2'])
  const [{ id }] = lab.list().filter(({ name }) => name === 'carry 2')
  expect(() => lab.rename(id, 'CARRY')).toThrow('named “CARRY” already')
  expect(lab.rename(id, 'Basis').name).toBe('Basis')
})

test('a save that began with an older study is refused', () => {
  const { lab } = open()
  const { id, revision } = lab.create('Carry', document('signal'))
  lab.save(id, document('events'), revision)
  expect(() => lab.save(id, document('leadlag'), revision)).toThrow('changed in another window')
  expect(lab.read(id).document).toEqual(document('events'))
})

test('the last answer comes back whole, and goes with its study', () => {
  const { lab, answers } = open()
  const { id } = lab.create('Carry', document('signal'))
  expect(answers.read(id)).toBeNull()
  const before = lab.revision()
  answers.keep(id, answer, { verdict: 'It tells nothing.' })
  expect(answers.read(id)).toEqual({ ...answer, trial: 1 })
  expect(lab.revision()).not.toBe(before)
  expect(lab.list()).toMatchObject([{ ranAt: 7, verdict: 'It tells nothing.' }])
  lab.remove(id)
  expect(() => answers.read(id)).toThrow('no longer exists')
  expect(() => answers.keep(id, answer)).not.toThrow()
})

test('every recipe is a trial of its own, and only what ran by itself is replaced', () => {
  const { lab, answers } = open()
  const { id } = lab.create('Carry', document('signal'))
  const run = (signal: string, ranAt: number, isAutomatic = false) => {
    const { study, ...rest } = document('signal')
    return answers.keep(id, { ...answer, ranAt, document: { ...rest, study: { ...study, signal } } }, { isAutomatic })
  }
  expect([run('a', 1), run('b', 2), run('c', 3, true), run('d', 4, true)].map(({ trial }) => trial)).toEqual([
    1, 2, 3, 3,
  ])
  // The same recipe again is the same trial, and now the latest.
  expect(run('a', 5).trial).toBe(1)
  expect(answers.trials(id).map(({ trial, ranAt, document: { study } }) => [trial, ranAt, study.signal])).toEqual([
    [1, 5, 'a'],
    [2, 2, 'b'],
    [3, 4, 'd'],
  ])
  expect([answers.read(id)?.trial, answers.read(id, 2)?.document.study.signal, answers.read(id, 9)]).toEqual([
    1,
    'b',
    null,
  ])
})

test('the oldest answers make room, except the latest of each study, and their trials say so', () => {
  const { clock, log } = fakePorts()
  const { documents, database, close } = openStore({ dataDir: temporaryFolder(), clock, log })
  onTestFinished(close)
  // Two answers of about two kilobytes each have room.
  const answers = createStudyAnswers(database, documents, 5000)
  const keep = (id: string, signal: string, ranAt: number) =>
    answers.keep(id, {
      ...answer,
      ranAt,
      document: { version: 1, study: { version: 1, kind: 'signal', signal }, panel: null },
      result: { kind: 'signal', noise: randomBytes(1500).toString('hex') } as unknown as StudyAnswer['result'],
    })
  const [one, other] = ['Carry', 'Basis'].map((name) => documents.study.create(name, document('signal')).id)
  keep(other, 'first', 1)
  for (const [at, signal] of ['a', 'b', 'c'].entries()) keep(one, signal, 2 + at)
  expect(answers.trials(one).map(({ trial, isKept }) => [trial, isKept])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ])
  expect(() => answers.read(one, 1)).toThrow('trial 1 was removed')
  expect(answers.read(one)?.trial).toBe(3)
  expect(answers.read(other)?.ranAt).toBe(1)
  // Running its recipe again brings it back.
  expect(keep(one, 'a', 9).trial).toBe(1)
  expect(answers.read(one, 1)?.ranAt).toBe(9)
})
