import { expect, onTestFinished, test } from 'vitest'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open(dataDir = temporaryFolder()) {
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  return store
}

test('settings start with their defaults and survive a restart', () => {
  const dataDir = temporaryFolder()
  const first = open(dataDir)
  expect(first.settings.read()).toEqual(defaultSettings)
  first.settings.change({ theme: 'dark', downloadRateCapMb: 2.5 })
  expect(open(dataDir).settings.read()).toEqual({ ...defaultSettings, theme: 'dark', downloadRateCapMb: 2.5 })
})

test('what another process changed counts from the next turn on', async () => {
  const dataDir = temporaryFolder()
  const here = open(dataDir)
  expect(here.settings.read().theme).toBe(defaultSettings.theme)
  open(dataDir).settings.change({ theme: 'dark' })
  await nextTurn()
  expect(here.settings.read().theme).toBe('dark')
})

test('null is a value, undefined means leave it', () => {
  const { settings } = open()
  settings.change({ cacheLimitGb: 5 })
  expect(settings.change({ cacheLimitGb: undefined }).cacheLimitGb).toBe(5)
  expect(settings.change({ cacheLimitGb: null }).cacheLimitGb).toBeNull()
})

test.each(['not json', '"no such theme"', '42', 'null', '{"nested":true}', ''])(
  'a broken row (%s) gives its default and one notice; the others keep theirs',
  async (text) => {
    const store = open()
    store.settings.change({ zoom: 1.5 })
    await nextTurn()
    store.database.writes.run("INSERT INTO settings (key, value) VALUES ('theme', ?)", text)
    expect(store.settings.read()).toEqual({ ...defaultSettings, zoom: 1.5 })
    store.settings.read()
    expect(store.notices).toEqual(['The setting “theme” could not be read; its default is used.'])
    expect(store.settings.change({ theme: 'dark' }).theme).toBe('dark')
  },
)

test('a key of another version is left alone', () => {
  const store = open()
  store.database.writes.run("INSERT INTO settings (key, value) VALUES ('fromTheFuture', '1')")
  expect(store.settings.read()).toEqual(defaultSettings)
  expect(store.notices).toEqual([])
})
