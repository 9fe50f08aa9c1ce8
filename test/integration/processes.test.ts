import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { createApp, type App } from '#core/app.ts'
import { startScript } from '../fakes/childProcess.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const leaseProcess = fileURLToPath(new URL('../fakes/leaseProcess.ts', import.meta.url))

describe('the lease between two real processes', () => {
  test('passes on when its holder is killed', async () => {
    const dataDir = temporaryFolder()
    const first = startScript(leaseProcess, [dataDir, 'first'])
    await first.says('taken')
    const second = startScript(leaseProcess, [dataDir, 'second'])
    await second.says('waiting')
    first.child.kill('SIGKILL')
    await second.says('taken')
  })

  test('is handed over when its holder ends normally', async () => {
    const dataDir = temporaryFolder()
    const first = startScript(leaseProcess, [dataDir, 'first'])
    await first.says('taken')
    const second = startScript(leaseProcess, [dataDir, 'second'])
    await second.says('waiting')
    first.child.stdin?.write('stop\n')
    await second.says('taken')
  })
})

test('many processes that open a new data folder at once all get it whole', async () => {
  const dataDir = temporaryFolder()
  const all = Array.from({ length: 5 }, (_, index) => startScript(leaseProcess, [dataDir, `process ${index}`]))
  const said = await Promise.all(
    all.map((each) => Promise.race([each.says('taken').then(() => 1), each.says('waiting').then(() => 0)])),
  )
  expect(said.reduce<number>((sum, one) => sum + one, 0)).toBe(1)
})

/** Opens two apps on one data folder; they have two SQLite connections, as two processes would. */
function twoApps(): [App, App] {
  const dataDir = temporaryFolder()
  const open = () => createApp(fakePorts(), { version: '1.0.0', dataDir, watchEveryMs: 10 })
  const apps: [App, App] = [open(), open()]
  onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))))
  return apps
}

describe('what another process changed', () => {
  test('a setting is reported to this process’s windows, once', async () => {
    const [here, there] = twoApps()
    const told: Settings['theme'][] = []
    const second = Promise.withResolvers<void>()
    here.clientFor(fakeHost()).on('settings.changed', ({ theme }) => {
      told.push(theme)
      if (theme === 'light') second.resolve()
    })
    const other = there.clientFor(fakeHost())
    const first = new Promise<void>((resolve) => here.bus.subscribe((name) => name === 'settings.changed' && resolve()))
    await other.call('settings.change', { theme: 'dark' })
    await first
    await other.call('connections.use', { id: 'sandbox' })
    await other.call('settings.change', { theme: 'light' })
    await second.promise
    expect(told).toEqual(['dark', 'light'])
  })

  test('a connection and its key are reported', async () => {
    const [here, there] = twoApps()
    const client = here.clientFor(fakeHost())
    const other = there.clientFor(fakeHost())
    const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null }
    const nextNames = () =>
      new Promise<string[]>((resolve) => {
        const stop = client.on('connections.changed', (list) => {
          stop()
          resolve(list.map(({ name }) => name))
        })
      })
    const added = nextNames()
    const { id } = await other.call('connections.add', fields)
    expect(await added).toEqual(['Sandbox', 'Desk'])
    const keyed = nextNames()
    await other.call('keys.set', { connectionId: id, service: 'metrics', key: 'abcdefgh-ijkl-wxyz' })
    expect(await keyed).toEqual(['Sandbox', 'Desk'])
  })

  test('what this one changed itself is not told a second time', async () => {
    const [here, there] = twoApps()
    const client = here.clientFor(fakeHost())
    const told: number[] = []
    client.on('settings.changed', ({ zoom }) => told.push(zoom))
    await client.call('settings.change', { zoom: 1.5 })
    const seen = new Promise<void>((resolve) => client.on('connections.changed', () => resolve()))
    await there.clientFor(fakeHost()).call('connections.add', {
      name: 'x',
      metricsUrl: '',
      portfolioUrl: '',
      catalogLocation: '',
      tier: null,
    })
    await seen
    expect(told).toEqual([1.5])
  })
})
