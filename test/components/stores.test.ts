import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useCommands } from '../../renderer/stores/commands.ts'
import { useConnections } from '../../renderer/stores/connections.ts'
import { useFiles } from '../../renderer/stores/files.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { persistedRef } from '../../renderer/stores/persistedRef.ts'
import { useRequests } from '../../renderer/stores/requests.ts'
import { useSettings } from '../../renderer/stores/settings.ts'
import { useToasts } from '../../renderer/stores/toasts.ts'
import { DECLARED_LAYOUT, isTableLayout } from '../../renderer/tables/columns.ts'
import { fakeConnection, fakeWindowHost, type FakeWindowHost } from '../fakes/fakeWindowHost.ts'

let host: FakeWindowHost
/** Functions that open documents, for tests that open none. */
const noOpeners = { workspace: vi.fn(), study: vi.fn(), board: vi.fn(), query: vi.fn() }

beforeEach(() => {
  localStorage.clear()
  setActivePinia(createPinia())
  host = fakeWindowHost()
  useHost().provide(host)
})

describe('settings', () => {
  it('applies an appearance at once and reverts it where the core refuses', async () => {
    const settings = useSettings()
    await settings.start()
    host.answer('settings.change', async () => {
      throw new AppError('read-only')
    })
    const refused = settings.change({ theme: 'light' })
    expect(settings.current.theme).toBe('light')
    await expect(refused).rejects.toThrow(AppError)
    expect(settings.current.theme).toBe('system')
  })

  it('shows everything else only once the core has it', async () => {
    const settings = useSettings()
    await settings.start()
    const change = settings.change({ offline: true })
    expect(settings.current.offline).toBe(false)
    await change
    expect(settings.current.offline).toBe(true)
  })

  it('follows what other windows change, and reads anew after the line was lost', async () => {
    const settings = useSettings()
    await settings.start()
    host.emit('settings.changed', { ...defaultSettings, density: 'comfortable' })
    expect(settings.current.density).toBe('comfortable')
    host.answer('settings.read', () => ({ ...defaultSettings, zoom: 1.5 }))
    host.setChannelState('lost')
    await nextTick()
    host.setChannelState('connected')
    await vi.waitFor(() => expect(settings.current.zoom).toBe(1.5))
  })
})

it('knows the active connection, also after a switch elsewhere', async () => {
  const connections = useConnections()
  await connections.start()
  expect(connections.active?.name).toBe('Sandbox')
  host.emit('connections.changed', [fakeConnection({ active: true })])
  expect(connections.active?.name).toBe('Desk')
})

it('tells of received files once, by name or number, and offers to show them', async () => {
  const shown = vi.fn()
  const opened = { workspace: vi.fn(), study: vi.fn(), board: vi.fn(), query: vi.fn() }
  await useFiles().start(shown, opened)
  const file = (id: string) => ({ id, name: `${id}.parquet`, sizeBytes: 1 })
  host.emit('files.received', [file('a')])
  host.emit('files.received', [file('a'), file('b'), file('c')])
  const toasts = useToasts()
  expect(toasts.list.map(({ message }) => message)).toEqual(['Received a.parquet', 'Received 2 files'])
  toasts.list[0].action?.run()
  expect(shown).toHaveBeenCalledOnce()
  // A document is opened instead of imported, once, on the screen of its kind.
  host.answer('files.recognise', ({ file: id }) => ({ kind: id === 'w' ? 'workspace' : 'board' }))
  const workspace = { id: 'w', name: 'Basis.perpscope', sizeBytes: 1 }
  const board = { id: 'b', name: 'Morning.json', sizeBytes: 1 }
  host.emit('files.received', [file('a'), workspace])
  host.emit('files.received', [file('a'), workspace])
  host.emit('files.received', [file('a'), board])
  await flushPromises()
  expect([opened.workspace.mock.calls, opened.board.mock.calls, opened.study.mock.calls]).toEqual([
    [['w']],
    [['b']],
    [],
  ])
  expect(useFiles().received.map(({ id }) => id)).toEqual(['a'])
  expect(toasts.list).toHaveLength(2)
})

it('says what a dropped document is if no screen opens it', async () => {
  await useFiles().start(vi.fn(), noOpeners)
  host.answer('files.recognise', () => {
    throw new AppError('bad-input', 'morning.json is a download set.')
  })
  host.emit('files.received', [{ id: 's', name: 'morning.json', sizeBytes: 1 }])
  await flushPromises()
  expect(JSON.stringify(useToasts().list)).toContain('morning.json is a download set.')
})

it('gives a file that was chosen for a purpose to that purpose, and not to the import', async () => {
  const shown = vi.fn()
  await useFiles().start(shown, noOpeners)
  const taken: string[] = []
  await useFiles().pickFor('panel', async (id) => void taken.push(id))
  host.emit('files.received', [{ id: 'p', name: 'panel.parquet', sizeBytes: 1 }])
  expect(taken).toEqual(['p'])
  expect(useToasts().list).toEqual([])
  host.emit('files.received', [{ id: 'q', name: 'other.parquet', sizeBytes: 1 }])
  expect(taken).toEqual(['p'])
  expect(useToasts().list).toHaveLength(1)
})

it('gives a document that was chosen for a purpose to that purpose too, and does not open it', async () => {
  const study = vi.fn()
  await useFiles().start(vi.fn(), { ...noOpeners, study })
  const taken: string[] = []
  await useFiles().pickFor('ledger', async (id) => void taken.push(id))
  const chosen = { id: 's', name: 'carry.json', sizeBytes: 1 }
  host.emit('files.received', [chosen])
  host.emit('files.received', [chosen])
  expect(taken).toEqual(['s'])
  expect(study).not.toHaveBeenCalled()
  // Files dropped afterwards do not count as the chosen ones.
  host.emit('files.received', [chosen, { id: 'p', name: 'panel.parquet', sizeBytes: 1 }])
  expect(taken).toEqual(['s'])
})

it('imports a file that is dropped after a dialog for something else was cancelled or failed', async () => {
  await useFiles().start(vi.fn(), noOpeners)
  const dropped = (id: string) => ({ id, name: `${id}.parquet`, sizeBytes: 1 })
  const take = vi.fn()
  const present = useHost().connectedHost()
  const pick = vi.spyOn(present, 'pickFiles').mockResolvedValueOnce(0)
  await useFiles().pickFor('backup', take)
  host.emit('files.received', [dropped('a')])
  pick.mockRejectedValueOnce(new AppError('disconnected'))
  await expect(useFiles().pickFor('backup', take)).rejects.toThrow(AppError)
  host.emit('files.received', [dropped('a'), dropped('b')])
  expect(take).not.toHaveBeenCalled()
  expect(useToasts().list).toHaveLength(2)
})

it('dismisses problems with their screen, once they could be read', () => {
  vi.useFakeTimers()
  try {
    const toasts = useToasts()
    toasts.problem(new AppError('not-found', 'The first.'))
    vi.advanceTimersByTime(7000)
    toasts.problem(new AppError('not-found', 'The second.'))
    expect(toasts.list).toHaveLength(2)
    toasts.dismissRead()
    expect(toasts.list.map(({ detail }) => detail)).toEqual([expect.stringContaining('The second.')])
  } finally {
    vi.useRealTimers()
  }
})

it('reads the request log again after a burst, not at every request', async () => {
  vi.useFakeTimers()
  const frame = { rows: 0, columns: [] }
  host.answer('requests.list', () => frame)
  const requests = useRequests()
  const stop = requests.watchList()
  for (let each = 0; each < 50; each++) host.emit('requests.recorded', { count: 1 })
  await vi.advanceTimersByTimeAsync(2000)
  expect(host.calls.filter(([name]) => name === 'requests.list')).toHaveLength(1)
  stop()
  host.emit('requests.recorded', { count: 1 })
  await vi.advanceTimersByTimeAsync(2000)
  expect(host.calls).toHaveLength(1)
  vi.useRealTimers()
})

it('remembers the columns of a table over a reload, unless what was kept is no layout', () => {
  const open = () => persistedRef('table.requests', DECLARED_LAYOUT, isTableLayout)
  open().value = { order: [], hidden: ['bytes'], widthsPx: { address: 300 } }
  expect(open().value.hidden).toEqual(['bytes'])
  localStorage.setItem('perpscope.table.requests', '{"order":3}')
  expect(open().value).toEqual(DECLARED_LAYOUT)
})

describe('toasts', () => {
  it('go by themselves, but problems and what is held stay', () => {
    vi.useFakeTimers()
    const toasts = useToasts()
    toasts.show({ kind: 'done', message: 'Saved' })
    toasts.problem(new AppError('disk-full', 'in the cache'))
    toasts.hold()
    vi.advanceTimersByTime(60_000)
    expect(toasts.list).toHaveLength(2)
    toasts.release()
    vi.advanceTimersByTime(60_000)
    expect(toasts.list.map(({ message }) => message)).toEqual(['There is no space left on the disk.'])
    expect(toasts.list[0].detail).toContain('Free up space')
    vi.useRealTimers()
  })

  it('say the same thing once, and nothing of what the person cancelled', () => {
    const toasts = useToasts()
    toasts.problem(new AppError('network'))
    toasts.problem(new AppError('network'))
    toasts.problem(new AppError('cancelled'))
    expect(toasts.list).toHaveLength(1)
  })
})

describe('commands', () => {
  it('run by id while they are offered, and are gone with their screen', () => {
    const commands = useCommands()
    const run = vi.fn()
    let open = true
    const end = commands.register([{ id: 'chart.reset', title: 'Reset', group: 'View', when: () => open, run }])
    expect(commands.run('chart.reset')).toBe(true)
    open = false
    end()
    expect(commands.run('chart.reset')).toBe(false)
    expect(run).toHaveBeenCalledOnce()
  })

  it('turn a failure into words', async () => {
    const commands = useCommands()
    await commands.attempt(() => Promise.reject(new AppError('offline')))
    expect(useToasts().list[0].message).toBe('Perpscope is offline.')
  })

  it('remember the last ones over a restart, and survive a broken memory', () => {
    useCommands().remember('go.catalog')
    useCommands().remember('go.raw')
    useCommands().remember('go.catalog')
    setActivePinia(createPinia())
    expect(useCommands().recent).toEqual(['go.catalog', 'go.raw'])
    localStorage.setItem('perpscope.recentCommands', '{broken')
    setActivePinia(createPinia())
    expect(useCommands().recent).toEqual([])
  })
})
