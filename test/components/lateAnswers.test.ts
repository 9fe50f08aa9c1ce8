import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { ref, shallowRef } from 'vue'
import type { KeptTrial, LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import type { JudgedFinding, QualityReport } from '#shared/contract/areas/quality.ts'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { AppError } from '#shared/contract/errors.ts'
import { addNote } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { useConnections } from '../../renderer/stores/connections.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { createTrials } from '../../renderer/stores/labTrials.ts'
import { useInstruments } from '../../renderer/stores/instruments.ts'
import { useQuality } from '../../renderer/stores/quality.ts'
import { useSettings } from '../../renderer/stores/settings.ts'
import { useVault } from '../../renderer/stores/vault.ts'
import { useWorkspaces } from '../../renderer/stores/workspaces.ts'
import { fakeConnection, fakeWindowHost, type FakeWindowHost } from '../fakes/fakeWindowHost.ts'

let host: FakeWindowHost

beforeEach(() => {
  localStorage.clear()
  setActivePinia(createPinia())
  host = fakeWindowHost()
  useHost().provide(host)
})

/** Answers that a test gives one by one, in an order of its own. */
function heldAnswers<Answer>() {
  const held: { resolve(answer: Answer): void; reject(error: Error): void }[] = []
  const next = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      held.push({ resolve, reject })
    })
  const give = async (at: number, answer: Answer) => {
    held[at].resolve(answer)
    await flushPromises()
  }
  return { held, next, give }
}

const workspace = (id: string, document: WorkspaceDocument = emptyDocument()): Opened<'workspace'> => ({
  ...{ id, name: id, document, revision: 1 },
})
const listed = (id: string) => ({ id, name: id, series: 0, changedAt: 0, quickLook: null })
const noteTexts = ({ notes }: WorkspaceDocument) => notes.map(({ text }) => text)

/** Starts with workspace A; what is read after it waits for the test. */
async function openA() {
  const reads = heldAnswers<Opened<'workspace'>>()
  const lists = heldAnswers<ReturnType<typeof listed>[]>()
  const saved: [id: string, texts: string[]][] = []
  host.answer('documents.list', () => ['A', 'B', 'C'].map(listed) as never)
  host.answer('documents.read', ({ id }) => workspace(id) as never)
  host.answer('documents.save', ({ id, document, revision }) => {
    saved.push([id, noteTexts(document as WorkspaceDocument)])
    return { revision: revision! + 1 }
  })
  const workspaces = useWorkspaces()
  await workspaces.start()
  await workspaces.open('A')
  host.answer('documents.read', reads.next as never)
  host.answer('documents.list', lists.next as never)
  const write = (text: string) => workspaces.edit((before) => addNote(before, 5, text))
  return { workspaces, reads, lists, saved, write }
}

it('opens the document that was asked for last, also where another one is read later', async () => {
  const { workspaces, reads } = await openA()
  const opening = [workspaces.open('B'), workspaces.open('C')]
  await flushPromises()
  await reads.give(1, workspace('C'))
  await reads.give(0, workspace('B'))
  await Promise.all(opening)
  expect(workspaces.current?.id).toBe('C')
})

it('stays on the document to which one returned while another one was read', async () => {
  const { workspaces, reads } = await openA()
  const opening = workspaces.open('B')
  await workspaces.open('A')
  await flushPromises()
  await reads.give(0, workspace('B'))
  await opening
  expect(workspaces.current?.id).toBe('A')
})

it('saves what was changed in a document while the next one was read', async () => {
  const { workspaces, reads, saved, write } = await openA()
  const opening = workspaces.open('B')
  await flushPromises()
  await write('late')
  await reads.give(0, workspace('B'))
  await opening
  expect(workspaces.current?.id).toBe('B')
  expect(saved).toEqual([['A', ['late']]])
})

it('keeps what was changed while a copy of a document that was changed elsewhere was made', async () => {
  const { workspaces, write } = await openA()
  const copies = heldAnswers<Opened<'workspace'>>()
  host.answer('documents.save', () => {
    throw new AppError('conflict')
  })
  host.answer('documents.create', copies.next as never)
  await write('mine')
  const saving = workspaces.save()
  await flushPromises()
  const copied = workspaces.document
  await write('later')
  await copies.give(0, workspace('A 2', copied))
  await saving
  expect(workspaces.current?.id).toBe('A 2')
  expect(noteTexts(workspaces.document)).toEqual(['mine', 'later'])
  expect(workspaces.isSaved).toBe(false)
})

it('keeps a document open that was made after the list was asked for', async () => {
  const { workspaces, lists } = await openA()
  host.answer('documents.create', () => workspace('D') as never)
  host.emit('documents.changed', { kind: 'workspace' })
  const creating = workspaces.create('D')
  await flushPromises()
  await lists.give(0, ['A', 'B', 'C'].map(listed))
  expect(workspaces.current?.id).toBe('D')
  await lists.give(1, ['A', 'B', 'C', 'D'].map(listed))
  await creating
  expect(workspaces.list).toHaveLength(4)
})

it('keeps the newest list where an older answer comes after it', async () => {
  const { workspaces, lists } = await openA()
  host.emit('documents.changed', { kind: 'workspace' })
  host.emit('documents.changed', { kind: 'workspace' })
  await lists.give(1, ['A', 'B'].map(listed))
  await lists.give(0, ['A', 'B', 'C'].map(listed))
  expect(workspaces.list.map(({ id }) => id)).toEqual(['A', 'B'])
  const instruments = useInstruments()
  const rows = heldAnswers<never[]>()
  host.answer('instruments.list', rows.next as never)
  const loading = instruments.load()
  host.emit('instruments.changed', {})
  await rows.give(1, [{ symbol: 'new' } as never])
  await rows.give(0, [])
  await loading
  expect(instruments.list).toHaveLength(1)
})

it('keeps what an event says where the answer to an earlier call comes after it', async () => {
  const connections = useConnections()
  const answers = heldAnswers<never[]>()
  host.answer('connections.list', answers.next as never)
  const starting = connections.start()
  host.emit('connections.changed', [fakeConnection({ active: true })])
  await answers.give(0, [])
  await starting
  expect(connections.active?.name).toBe('Desk')

  const vault = useVault()
  const states = heldAnswers<VaultStatus>()
  host.answer('vault.status', states.next)
  const loading = vault.load()
  const state = { available: true, name: 'Test keychain', message: null }
  host.emit('vault.changed', state)
  await states.give(0, { ...state, available: false })
  await loading
  expect(vault.status?.available).toBe(true)
})

it('shows every change of the appearance until it is stored, whichever is answered first', async () => {
  const settings = useSettings()
  await settings.start()
  const answers = heldAnswers<typeof defaultSettings>()
  host.answer('settings.change', answers.next)
  const changes = [settings.change({ theme: 'light' }), settings.change({ density: 'comfortable' })]
  await answers.give(0, { ...defaultSettings, theme: 'light' })
  expect(settings.current).toMatchObject({ theme: 'light', density: 'comfortable' })
  answers.held[1].reject(new AppError('read-only'))
  await Promise.allSettled(changes)
  expect(settings.current).toMatchObject({ theme: 'light', density: defaultSettings.density })
})

it('keeps a finding accepted where the report of a check that began before comes after it', async () => {
  const quality = useQuality()
  const reports = heldAnswers<QualityReport>()
  const accepting = heldAnswers<null>()
  host.answer('quality.check', reports.next)
  host.answer('quality.accept', accepting.next)
  const finding = { dataset: 'ohlcv', kind: 'gap', from: 1, to: 2, accepted: null } as unknown as JudgedFinding
  const report = () => ({ files: 1, days: 1, findings: [{ ...finding }] }) as unknown as QualityReport
  const check = async () => void quality.check({ connectionId: '' })
  const notes = () => quality.report?.findings.map(({ accepted }) => accepted?.note)
  await check()
  await reports.give(0, report())
  await check()
  const accepted = quality.accept(quality.report!.findings, 'maintenance')
  await reports.give(1, report())
  await accepting.give(0, null)
  await accepted
  expect(notes()).toEqual(['maintenance'])
  await check()
  const again = quality.accept([finding], 'again')
  await accepting.give(1, null)
  await again
  await reports.give(2, report())
  expect(notes()).toEqual(['again'])
})

it('opens the trial that was chosen last, also where the answer of another one comes later', async () => {
  const document = { version: 1, study: { kind: 'signal' }, panel: null } as unknown as LabDocument
  const answer = shallowRef<StudyAnswer | null>(null)
  const current = ref({ id: 's', name: 's', document, revision: 1 })
  const answers = heldAnswers<StudyAnswer>()
  host.answer('lab.trials', () => [1, 2].map((trial) => ({ trial, ranAt: trial, document, isKept: false }) as never))
  host.answer('lab.answer', answers.next as never)
  const trials = createTrials({ current, answer, host, edit: () => {}, isSame: () => true })
  await trials.load('s')
  const opening = [trials.open(1), trials.open(2)]
  const answerOf = (trial: number) => ({ trial, ranAt: trial, document }) as StudyAnswer
  await answers.give(1, answerOf(2))
  await answers.give(0, answerOf(1))
  await Promise.all(opening)
  expect((answer.value as KeptTrial | StudyAnswer | null)?.trial).toBe(2)
})
