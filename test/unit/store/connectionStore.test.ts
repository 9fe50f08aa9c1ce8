import { expect, onTestFinished, test } from 'vitest'
import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open(dataDir = temporaryFolder()) {
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  return store.connections
}

const fields = (name: string): ConnectionFields => ({
  name,
  metricsUrl: 'https://metrics.example',
  portfolioUrl: '',
  catalogLocation: '/catalog.json',
  tier: null,
})

test('the sandbox is there from the start, active, first in the list and untouchable', () => {
  const connections = open()
  const [sandbox] = connections.list()
  expect(sandbox).toMatchObject({ name: 'Sandbox', builtIn: true, active: true, metricsUrl: '', tier: 3 })
  connections.add(fields('Alpha'))
  expect(connections.list().map(({ name }) => name)).toEqual(['Sandbox', 'Alpha'])
  for (const change of [() => connections.edit(sandbox.id, { name: 'Mine' }), () => connections.remove(sandbox.id)]) {
    expect(change).toThrow(expect.objectContaining({ code: 'unsupported' }))
  }
})

test('what was added comes back after a restart, exactly', () => {
  const dataDir = temporaryFolder()
  const added = open(dataDir).add({ ...fields('龙 & “quotes”'), tier: 0 })
  expect(open(dataDir).find(added.id)).toEqual(added)
})

test('names are unique, whatever their case', () => {
  const connections = open()
  const alpha = connections.add(fields('Alpha'))
  const beta = connections.add(fields('Beta'))
  const clash = expect.objectContaining({ code: 'conflict', detail: expect.stringContaining('Alpha') })
  expect(() => connections.add(fields('ALPHA'))).toThrow(clash)
  expect(() => connections.edit(beta.id, { name: 'alpha' })).toThrow(clash)
  expect(connections.edit(alpha.id, { name: 'ALPHA' }).name).toBe('ALPHA')
  expect(connections.list()).toHaveLength(3)
})

test('exactly one is active; removing it falls back on the sandbox', () => {
  const connections = open()
  const alpha = connections.add(fields('Alpha'))
  const active = () =>
    connections
      .list()
      .filter((each) => each.active)
      .map(({ name }) => name)
  expect(connections.use(alpha.id).active).toBe(true)
  expect(active()).toEqual(['Alpha'])
  connections.edit(alpha.id, { tier: 2 })
  expect(active()).toEqual(['Alpha'])
  connections.remove(alpha.id)
  expect(active()).toEqual(['Sandbox'])
})

test('an id that does not exist is reported', () => {
  const connections = open()
  const missing = expect.objectContaining({ code: 'not-found' })
  expect(() => connections.use('nobody')).toThrow(missing)
  expect(() => connections.edit('nobody', {})).toThrow(missing)
  expect(() => connections.remove('nobody')).toThrow(missing)
  expect(connections.list().filter((each) => each.active)).toHaveLength(1)
})
