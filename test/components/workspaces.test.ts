import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { AppError } from '#shared/contract/errors.ts'
import { addNote, addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { workspaceDocument, type WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { hasUnsavedDocuments, saveUnsavedDocuments } from '../../renderer/stores/unsavedDocuments.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import { useWorkspaces } from '../../renderer/stores/workspaces.ts'
import { fakeWindowHost, type FakeWindowHost } from '../fakes/fakeWindowHost.ts'

/** Fakes a core that stores workspaces and refuses saves that are based on an older version. */
function fakeCore(host: FakeWindowHost) {
  const kept = new Map<string, Opened<'workspace'>>()
  const add = (name: string, document: WorkspaceDocument): Opened<'workspace'> => {
    const id = `w${kept.size + 1}`
    const workspace: Opened<'workspace'> = { id, name, document, revision: 1 }
    kept.set(id, workspace)
    return workspace
  }
  host.answer('documents.list', () =>
    [...kept.values()].map(({ id, name, document }) => ({
      ...{ id, name, series: 0, changedAt: 0 },
      quickLook: document.quickLook ?? null,
    })),
  )
  host.answer('documents.read', ({ id }) => {
    const found = kept.get(id)
    if (!found) throw new AppError('not-found')
    return found
  })
  host.answer('documents.create', ({ name, document }) => add(name, workspaceDocument.parse(document)))
  host.answer('documents.save', ({ id, document, revision }) => {
    const found = kept.get(id)
    if (!found) throw new AppError('not-found')
    if (found.revision !== revision) throw new AppError('conflict', 'Written elsewhere meanwhile.')
    kept.set(id, { ...found, document: workspaceDocument.parse(document), revision: found.revision + 1 })
    return { revision: found.revision + 1 }
  })
  host.answer('documents.rename', ({ id, name }) => {
    const renamed = { ...kept.get(id)!, name }
    kept.set(id, renamed)
    return renamed
  })
  host.answer('documents.remove', ({ id }) => {
    kept.delete(id)
    return null
  })
  return { kept, add }
}

let host: FakeWindowHost
let core: ReturnType<typeof fakeCore>

beforeEach(() => {
  localStorage.clear()
  setActivePinia(createPinia())
  host = fakeWindowHost()
  core = fakeCore(host)
  useHost().provide(host)
})

const addNoteOf = (text: string) => (before: WorkspaceDocument) => addNote(before, 5, text)
const textsOf = ({ notes }: WorkspaceDocument) => notes.map(({ text }) => text)
const saves = () => host.calls.filter(([name]) => name === 'documents.save').length

describe('a workspace that froze its window', () => {
  const mark = (id: string, ageMs: number) =>
    localStorage.setItem('perpscope.workspaceOpening', JSON.stringify({ id, atMs: Date.now() - ageMs }))

  it('is not the one that opens at the next start, and can still be chosen', async () => {
    const calm = core.add('Calm', emptyDocument())
    const heavy = core.add('Heavy', emptyDocument())
    localStorage.setItem('perpscope.workspace', JSON.stringify(heavy.id))
    mark(heavy.id, 60_000)
    const workspaces = useWorkspaces()
    await workspaces.start()
    expect(workspaces.current?.id).toBe(calm.id)
    expect(
      useToasts()
        .list.map(({ message }) => message)
        .join(),
    ).toContain('“Heavy” was not reopened')
    await workspaces.open(heavy.id)
    expect(workspaces.current?.id).toBe(heavy.id)
  })

  it('is told apart from one that another tab opens at this moment', async () => {
    const only = core.add('Only', emptyDocument())
    mark(only.id, 500)
    const workspaces = useWorkspaces()
    await workspaces.start()
    expect(workspaces.current?.id).toBe(only.id)
  })

  it('is forgotten once a window has shown it, or was left', async () => {
    core.add('Only', emptyDocument())
    await useWorkspaces().start()
    expect(localStorage.getItem('perpscope.workspaceOpening')).toContain('w1')
    dispatchEvent(new Event('pagehide'))
    expect(localStorage.getItem('perpscope.workspaceOpening')).toBe('null')
  })
})

it('a workspace that is damaged does not keep the next one away, and is not taken for one that froze the window', async () => {
  const broken = core.add('Broken', emptyDocument())
  const whole = core.add('Whole', emptyDocument())
  localStorage.setItem('perpscope.workspace', JSON.stringify(broken.id))
  host.answer('documents.read', ({ id }) => {
    if (id === broken.id) throw new AppError('corrupt-file', '“Broken” is damaged.')
    expect(localStorage.getItem('perpscope.workspaceOpening')).not.toContain(broken.id)
    return core.kept.get(id)!
  })
  const workspaces = useWorkspaces()
  await workspaces.start()
  expect(workspaces.current?.id).toBe(whole.id)
  expect(useToasts().list).toHaveLength(1)
})

it('a workspace that turns out to be damaged does not lead away from one that the user opened meanwhile', async () => {
  const [broken, , wanted] = ['Broken', 'Next', 'Wanted'].map((name) => core.add(name, emptyDocument()))
  localStorage.setItem('perpscope.workspace', JSON.stringify(broken.id))
  const damage = Promise.withResolvers<never>()
  host.answer('documents.read', ({ id }) => (id === broken.id ? damage.promise : core.kept.get(id)!) as never)
  const workspaces = useWorkspaces()
  const starting = workspaces.start()
  await flushPromises()
  await workspaces.open(wanted.id)
  damage.reject(new AppError('corrupt-file', '“Broken” is damaged.'))
  await starting
  expect(workspaces.current?.id).toBe(wanted.id)
})

describe('the open workspace', () => {
  it('is made by the first edit, saved by itself, and found again by the next window', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    expect(workspaces.current).toBeNull()
    await workspaces.edit(addNoteOf('one'))
    await workspaces.edit(addNoteOf('two'))
    expect(workspaces.isSaved).toBe(false)
    await workspaces.save()
    expect(workspaces.isSaved).toBe(true)
    // Both edits are stored by one save.
    expect(saves()).toBe(1)
    expect(textsOf([...core.kept.values()][0].document)).toEqual(['one', 'two'])
    core.add('Newer', emptyDocument())

    setActivePinia(createPinia())
    useHost().provide(host)
    const again = useWorkspaces()
    await again.start()
    expect(textsOf(again.document)).toEqual(['one', 'two'])
  })

  it('is saved at once when its window goes', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    vi.useFakeTimers()
    try {
      await workspaces.edit(addNoteOf('last words'))
      expect(saves()).toBe(0)
      dispatchEvent(new Event('pagehide'))
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      expect(saves()).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is saved when its window goes while the save before is still on its way', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const begunWith: unknown[] = []
    await workspaces.edit(addNoteOf('one'))
    host.answer('documents.save', async ({ revision }) => {
      begunWith.push(revision)
      await answered
      return { revision: begunWith.length + 1 }
    })
    const saving = workspaces.save()
    await vi.waitFor(() => expect(begunWith).toEqual([1]))
    await workspaces.edit(addNoteOf('two'))
    dispatchEvent(new Event('pagehide'))
    expect(begunWith).toEqual([1, 2])
    answer()
    await saving
  })

  it('is saved when the line comes back, and opened where it could not be before', async () => {
    host.setChannelState('lost')
    host.answer('documents.list', () => {
      throw new AppError('disconnected')
    })
    const workspaces = useWorkspaces()
    await expect(workspaces.start()).rejects.toThrow()
    core = fakeCore(host)
    const { id } = core.add('Basis', emptyDocument())
    host.setChannelState('connected')
    await vi.waitFor(() => expect(workspaces.current?.id).toBe(id))

    host.answer('documents.save', () => {
      throw new AppError('disconnected')
    })
    await workspaces.edit(addNoteOf('said while away'))
    await expect(workspaces.save()).rejects.toThrow()
    host.setChannelState('lost')
    await nextTick()
    const kept = core.kept.get(id)!
    core = fakeCore(host)
    core.kept.set(id, kept)
    host.setChannelState('connected')
    await vi.waitFor(() => expect(textsOf(core.kept.get(id)!.document)).toEqual(['said while away']))
  })

  it('undoes and redoes edits, not zooms, and leaves the view where it is', async () => {
    const workspaces = useWorkspaces()
    await workspaces.edit(addNoteOf('one'))
    await workspaces.edit((before) => ({ ...before, range: { startMs: 1, endMs: 2 } }), { quiet: true })
    await workspaces.edit(addNoteOf('two'))
    workspaces.undo()
    expect([textsOf(workspaces.document), workspaces.document.range]).toEqual([['one'], { startMs: 1, endMs: 2 }])
    workspaces.redo()
    expect(textsOf(workspaces.document)).toEqual(['one', 'two'])
    expect(workspaces.canRedo).toBe(false)
    workspaces.undo()
    await workspaces.edit(addNoteOf('three'))
    expect(workspaces.canRedo).toBe(false)
    expect(textsOf(workspaces.document)).toEqual(['one', 'three'])
  })

  it('tells edits of the content from zooms', async () => {
    const workspaces = useWorkspaces()
    await workspaces.edit(addNoteOf('one'))
    const { content } = workspaces
    await workspaces.edit((before) => ({ ...before, range: { startMs: 1, endMs: 2 } }), { quiet: true })
    expect(workspaces.content).toBe(content)
    await workspaces.edit((before) => ({ ...before, zone: 'utc' }), { quiet: true })
    expect(workspaces.content).toMatchObject({ zone: 'utc', notes: [{ text: 'one' }] })
  })

  it('keeps notes through undo and redo, but brings a removed one back', async () => {
    const workspaces = useWorkspaces()
    const titled = (title: string) => (before: WorkspaceDocument) => ({
      ...before,
      panes: [{ id: 'p', title, scale: 'linear' as const, series: [] }],
    })
    const titles = () => workspaces.document.panes.map(({ title }) => title)
    const now = () => [titles(), textsOf(workspaces.document)]
    await workspaces.edit(titled('first'))
    await workspaces.edit(addNoteOf('written before'), { quiet: true })
    await workspaces.edit(titled('second'))
    await workspaces.edit(addNoteOf('written after'), { quiet: true })
    workspaces.undo()
    expect(now()).toEqual([['first'], ['written before', 'written after']])
    await workspaces.edit(addNoteOf('written between'), { quiet: true })
    workspaces.redo()
    expect(now()).toEqual([['second'], ['written before', 'written after', 'written between']])
    await workspaces.edit((before) => ({ ...before, notes: before.notes.slice(1) }))
    expect(now()[1]).toEqual(['written after', 'written between'])
    workspaces.undo()
    expect(now()[1]).toEqual(['written before', 'written after', 'written between'])
    workspaces.redo()
    workspaces.undo()
    workspaces.undo()
    workspaces.undo()
    expect(now()).toEqual([[], ['written before', 'written after', 'written between']])
  })

  it('goes on as a copy where another window wrote it meanwhile: neither is lost', async () => {
    const workspaces = useWorkspaces()
    await workspaces.create('Basis')
    const { id } = workspaces.current!
    core.kept.set(id, { ...core.kept.get(id)!, document: addNoteOf('theirs')(emptyDocument()), revision: 9 })
    await workspaces.edit(addNoteOf('ours'))
    await workspaces.save()
    expect(textsOf(core.kept.get(id)!.document)).toEqual(['theirs'])
    expect(workspaces.current!.id).not.toBe(id)
    expect(textsOf(core.kept.get(workspaces.current!.id)!.document)).toEqual(['ours'])
    expect(useToasts().list.at(-1)?.message).toContain('Saved as')
  })

  it('follows what another window did, but not over what is not saved here', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    await workspaces.create('Basis')
    const { id } = workspaces.current!
    const saveElsewhere = (text: string) => {
      const before = core.kept.get(id)!
      core.kept.set(id, { ...before, document: addNoteOf(text)(emptyDocument()), revision: before.revision + 1 })
      host.emit('documents.changed', { kind: 'workspace' })
    }
    saveElsewhere('theirs')
    await vi.waitFor(() => expect(textsOf(workspaces.document)).toEqual(['theirs']))
    await workspaces.edit(addNoteOf('ours'))
    host.emit('documents.changed', { kind: 'workspace' })
    await vi.waitFor(() => expect(host.calls.filter(([name]) => name === 'documents.list').length).toBeGreaterThan(2))
    expect(textsOf(workspaces.document)).toEqual(['theirs', 'ours'])
    await workspaces.save()
    core.kept.delete(id)
    host.emit('documents.changed', { kind: 'workspace' })
    await vi.waitFor(() => expect(workspaces.current).toBeNull())
  })

  it('stays unsaved, and says so, where the core cannot write', async () => {
    const workspaces = useWorkspaces()
    await workspaces.create('Basis')
    host.answer('documents.save', () => {
      throw new AppError('disk-full')
    })
    await workspaces.edit(addNoteOf('one'))
    await expect(workspaces.save()).rejects.toMatchObject({ code: 'disk-full' })
    expect(workspaces.isSaved).toBe(false)
    expect(textsOf(workspaces.document)).toEqual(['one'])
  })
})

it('removes the open one and opens what is left', async () => {
  const workspaces = useWorkspaces()
  await workspaces.create('One', addNoteOf('one')(emptyDocument()))
  await workspaces.create('Two')
  await workspaces.rename('Three')
  expect(workspaces.name).toBe('Three')
  await workspaces.remove(workspaces.current!.id)
  expect([workspaces.name, textsOf(workspaces.document)]).toEqual(['One', ['one']])
})

describe('the sample of the very first start', () => {
  it('opens where nothing else is there', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    await workspaces.openFirstSample()
    expect(workspaces.name).toBe('Sample')
  })

  it('never takes the place of a file that the person opens, whichever arrives first', async () => {
    const imported = Promise.withResolvers<Opened<'workspace'>>()
    host.answer('documents.import', () => imported.promise)
    const workspaces = useWorkspaces()
    await workspaces.start()
    const opening = workspaces.openFile('file-1')
    await workspaces.openFirstSample()
    imported.resolve(core.add('Funding desk', emptyDocument()))
    await opening
    expect(workspaces.name).toBe('Funding desk')
    expect([...core.kept.values()].map(({ name }) => name)).toEqual(['Funding desk'])
  })
})

it('keeps a workspace of 24 panes as it is, and says why no more fit', async () => {
  const workspaces = useWorkspaces()
  const source = { kind: 'formula' as const, formula: '1' }
  const add = (paneId: string | null) => workspaces.edit((before) => addSeries(before, paneId, { source }).document)
  for (let at = 0; at < 25; at += 1) await add(null)
  expect(workspaces.document.panes).toHaveLength(24)
  for (let at = 0; at < 60; at += 1) await add('p1')
  expect(workspaces.document.panes[0].series).toHaveLength(60)
  expect(useToasts().list.map(({ message }) => message)).toEqual([
    'A workspace has at most 24 panes. Add the series to one of them, or remove a pane.',
    'A pane has at most 60 series. Add the series to another pane, or remove one.',
  ])
})

describe('quick looks', () => {
  const look = (formula: string) => addSeries(emptyDocument(), null, { source: { kind: 'formula', formula } }).document
  const formulasOf = ({ document }: Opened<'workspace'>) =>
    document.panes.flatMap(({ series }) => series.map(({ source }) => source.kind === 'formula' && source.formula))

  it('stay apart, whatever is opened after them', async () => {
    core.add('Desk', look('desk'))
    const workspaces = useWorkspaces()
    await workspaces.start()
    await workspaces.openQuickLook('link 1', 'BTC', look('1'))
    await workspaces.edit(
      (before) => addSeries(before, null, { source: { kind: 'formula', formula: 'mine' } }).document,
    )
    await workspaces.openQuickLook('link 2', 'ETH', look('2'))
    expect([...core.kept.values()].map(formulasOf)).toEqual([['desk'], ['1', 'mine'], ['2']])
    // The same link leads to its tab, as the user left it.
    await workspaces.openQuickLook('link 1', 'BTC', look('1'))
    expect(formulasOf(workspaces.current!)).toEqual(['1', 'mine'])
    expect(core.kept.size).toBe(3)
    expect(workspaces.quickLooks.map(({ name }) => name)).toEqual(['BTC', 'ETH'])
    expect(workspaces.kept.map(({ name }) => name)).toEqual(['Desk'])
    expect(workspaces.lastKept?.name).toBe('Desk')
  })

  it('become a workspace by “Keep”, which undo does not take back', async () => {
    const workspaces = useWorkspaces()
    await workspaces.start()
    await workspaces.openQuickLook('link', 'BTC', look('1'))
    await workspaces.edit((before) => addSeries(before, null, { source: { kind: 'formula', formula: '2' } }).document)
    await workspaces.keep()
    expect([workspaces.isQuickLook, workspaces.kept.length, workspaces.quickLooks.length]).toEqual([false, 1, 0])
    workspaces.undo()
    await workspaces.save()
    expect(core.kept.get('w1')!.document.quickLook).toBeUndefined()
    expect(formulasOf(core.kept.get('w1')!)).toEqual(['1'])
    // The link then opens a new quick look, and not the workspace.
    await workspaces.openQuickLook('link', 'BTC', look('1'))
    expect(core.kept.size).toBe(2)
  })

  it('can be opened again after they were closed', async () => {
    core.add('Desk', look('desk'))
    const workspaces = useWorkspaces()
    await workspaces.start()
    await workspaces.openQuickLook('link', 'BTC', look('1'))
    const reopen = await workspaces.closeQuickLook(workspaces.current!.id)
    expect([workspaces.name, workspaces.quickLooks]).toEqual(['Desk', []])
    await reopen()
    expect([workspaces.name, workspaces.isQuickLook, formulasOf(workspaces.current!)]).toEqual(['BTC', true, ['1']])
  })
})

describe('changes made while the host is down', () => {
  /** Changes a workspace while the host is down, and closes the window. */
  async function changeWhileDown(text: string): Promise<Opened<'workspace'>> {
    const desk = core.add('Desk', emptyDocument())
    const workspaces = useWorkspaces()
    await workspaces.start()
    host.answer('documents.save', () => {
      throw new AppError('disconnected')
    })
    await workspaces.edit(addNoteOf(text))
    await expect(workspaces.save()).rejects.toMatchObject({ code: 'disconnected' })
    expect(useToasts().list).toEqual([])
    setActivePinia(createPinia())
    useHost().provide(host)
    const { kept } = core
    core = fakeCore(host)
    for (const [id, each] of kept) core.kept.set(id, each)
    return desk
  }

  it('are saved by the next window', async () => {
    const { id } = await changeWhileDown('Written meanwhile')
    await saveUnsavedDocuments(useHost(), useToasts())
    const workspaces = useWorkspaces()
    await workspaces.start()
    expect(textsOf(core.kept.get(id)!.document)).toEqual(['Written meanwhile'])
    expect(textsOf(workspaces.document)).toEqual(['Written meanwhile'])
    expect(useToasts().list).toMatchObject([{ kind: 'note' }])
    expect(hasUnsavedDocuments()).toBe(false)
  })

  it('are saved also if an earlier version kept them', async () => {
    const { id } = core.add('Desk', emptyDocument())
    const unsaved = {
      area: 'workspaces',
      id,
      name: 'Desk',
      document: addNoteOf('Earlier')(emptyDocument()),
      revision: 1,
    }
    localStorage.setItem(`perpscope.unsaved.workspaces.${id}`, JSON.stringify(unsaved))
    await saveUnsavedDocuments(useHost(), useToasts())
    expect(host.calls.at(-1)).toMatchObject(['documents.save', { kind: 'workspace', id }])
    expect(textsOf(core.kept.get(id)!.document)).toEqual(['Earlier'])
    expect(hasUnsavedDocuments()).toBe(false)
  })

  it('are told once, and kept, where the core cannot read them', async () => {
    await changeWhileDown('Unreadable')
    host.answer('documents.save', () => {
      throw new AppError('bad-input', 'document.panes: Invalid input')
    })
    await saveUnsavedDocuments(useHost(), useToasts())
    await saveUnsavedDocuments(useHost(), useToasts())
    expect(useToasts().list).toHaveLength(1)
    expect(hasUnsavedDocuments()).toBe(false)
    expect(JSON.stringify({ ...localStorage })).toContain('Unreadable')
  })

  describe('after a save that arrived, whose answer was lost', () => {
    /** Changes a workspace twice: the core keeps the first change but its answer is lost, and the second fails. */
    async function loseAnAnswer() {
      const { id } = core.add('Desk', emptyDocument())
      const workspaces = useWorkspaces()
      await workspaces.start()
      const disconnected = () => new AppError('disconnected')
      host.answer('documents.save', ({ document }) => {
        core.kept.set(id, { ...core.kept.get(id)!, document: workspaceDocument.parse(document), revision: 2 })
        throw disconnected()
      })
      await workspaces.edit(addNoteOf('first'))
      await expect(workspaces.save()).rejects.toMatchObject({ code: 'disconnected' })
      host.answer('documents.save', () => {
        throw disconnected()
      })
      await workspaces.edit(addNoteOf('second'))
      await expect(workspaces.save()).rejects.toMatchObject({ code: 'disconnected' })
      const { kept } = core
      core = fakeCore(host)
      for (const [key, each] of kept) core.kept.set(key, each)
      return workspaces
    }

    const storedTexts = () => [...core.kept.values()].map(({ document }) => textsOf(document))

    it('replace what was saved, in the same window', async () => {
      const workspaces = await loseAnAnswer()
      await workspaces.save()
      expect(storedTexts()).toEqual([['first', 'second']])
    })

    it('replace what was saved, in the next window', async () => {
      await loseAnAnswer()
      await saveUnsavedDocuments(useHost(), useToasts())
      expect(storedTexts()).toEqual([['first', 'second']])
      expect(hasUnsavedDocuments()).toBe(false)
    })
  })

  it('become a copy if the workspace was changed elsewhere', async () => {
    const { id } = await changeWhileDown('Mine')
    core.kept.set(id, { ...core.kept.get(id)!, document: addNoteOf('Theirs')(emptyDocument()), revision: 2 })
    await saveUnsavedDocuments(useHost(), useToasts())
    expect([...core.kept.values()].map(({ document }) => textsOf(document))).toEqual([['Theirs'], ['Mine']])
  })
})
