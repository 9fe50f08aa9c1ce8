import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { screenNames } from '#shared/contract/screenNames.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { routeOfLink, openingOf } from '../../electron/main/openings.ts'
import { app, desktop, fakeEvent } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { loadPage, openPage, showFirstScreen, startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const toldTo = (window: FakeWindow) =>
  window.webContents.sent
    .filter((each) => each.channel === ipcChannels.toWindow)
    .map((each) => each.message as { kind: string })
    .filter(({ kind }) => kind === 'event')

it.each([
  ['perpscope://workbench', '/workbench'],
  ['perpscope://workbench/', '/workbench'],
  ['perpscope://catalog?q=toxicity', '/catalog?q=toxicity'],
  ['perpscope://workbench?symbol=BTC-USDT&interval=1m', '/workbench?symbol=BTC-USDT&interval=1m'],
  [`perpscope://workbench?show=${'x'.repeat(20_000)}`, `/workbench?show=${'x'.repeat(20_000)}`],
  ['perpscope://coverage/trades/龙', '/coverage/trades/%E9%BE%99'],
  ['perpscope://settings?a=<script>', '/settings?a=%3Cscript%3E'],
  ['perpscope://portfolios/one#ignored', '/portfolios/one'],
  ...screenNames.map((name) => [`perpscope://${name}`, `/${name}`]),
])('understands %s', (link, route) => expect(routeOfLink(link)).toBe(route))

it.each([
  '',
  'perpscope:',
  'perpscope://',
  'perpscope://elsewhere',
  'perpscope://workbench.example.com/',
  'perpscope://user:word@workbench',
  'perpscope://workbench:80/',
  'perpscope://workbench//example.com',
  'perpscope://workbench/a"b\\c',
  'https://workbench/',
  'javascript:alert(1)',
  `perpscope://workbench?${'x'.repeat(30_000)}`,
  `perpscope://workbench?${'"'.repeat(15_000)}`,
])('refuses %s', (link) => expect(routeOfLink(link)).toBeNull())

it('makes of any link a route of a known screen, short enough for its event, or nothing', () => {
  const link = fc
    .tuple(fc.constantFrom('workbench', 'raw', 'x'), fc.string({ maxLength: 300, unit: 'binary' }))
    .map(([screen, rest]) => `perpscope://${screen}${rest}`)
  fc.assert(
    fc.property(link, (text) => {
      const route = routeOfLink(text)
      if (route !== null) expect(route).toMatch(/^\/(workbench|raw)(\/[\w.~%@:+-]+)*(\?[^#\s]+)?$/)
    }),
  )
})

it('finds files and links among the words of a command line', () => {
  const opening = openingOf(
    ['.', '--data-dir', '/data', '--file.parquet', 'a.parquet', 'b.txt', '/c/d.perpscope', 'perpscope://raw'],
    '/home',
  )
  expect(opening).toEqual({ files: [resolve('/home/a.parquet'), resolve('/c/d.perpscope')], link: 'perpscope://raw' })
})

it('opens on the screen of the link that started it', async () => {
  const { window } = await startedDesktop(['perpscope://catalog?q=a'])
  expect(window.loaded).toEqual(['app://perpscope/index.html#/catalog?q=a'])
})

it('opens on the start screen where the link is bad', async () => {
  const { window } = await startedDesktop(['perpscope://nowhere/../../x'])
  expect(window.loaded).toEqual(['app://perpscope/index.html#/'])
})

it('tells a running page of a link, and brings it forward', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  app.emit('second-instance', {}, ['/electron', 'perpscope://downloads'], '/')
  expect(toldTo(window)).toEqual([{ kind: 'event', name: 'links.opened', payload: { address: '/downloads' } }])
  expect(window.loaded).toHaveLength(1)
  expect(window.focused).toBe(1)
})

it('does not lose a link that comes while the page still loads', async () => {
  const { window } = await startedDesktop()
  app.emit('second-instance', {}, ['/electron', 'perpscope://downloads'], '/')
  expect(window.loaded.at(-1)).toBe('app://perpscope/index.html#/downloads')
})

it('does not lose a link or a file that macOS brings before the app is ready', async () => {
  const events = [fakeEvent(), fakeEvent()]
  const { window, dataDir } = await startedDesktop([], () => {
    const { whenReady } = app
    vi.spyOn(app, 'whenReady').mockImplementationOnce(() => {
      writeFileSync(join(process.argv[3], 'w.perpscope'), '{}')
      app.emit('open-url', events[0], 'perpscope://raw')
      app.emit('open-file', events[1], join(process.argv[3], 'w.perpscope'))
      return whenReady.call(app)
    })
  })
  expect(events.every((event) => event.defaultPrevented)).toBe(true)
  expect(window.loaded.at(-1)).toBe('app://perpscope/index.html#/raw')
  loadPage(window)
  expect(toldTo(window)).toEqual([])
  showFirstScreen(window)
  await vi.waitFor(() => expect(JSON.stringify(toldTo(window))).toContain('w.perpscope'))
  expect(JSON.stringify(toldTo(window))).not.toContain(dataDir)
})

it('keeps what a second start hands over while the page is still loading', async () => {
  const { window, dataDir } = await startedDesktop()
  loadPage(window)
  const file = join(dataDir, 'Ideas.PERPSCOPE')
  writeFileSync(file, '{}')
  app.emit('second-instance', {}, ['/electron', pathToFileURL(file).href, 'perpscope://raw'], '/')
  expect(toldTo(window)).toEqual([])
  showFirstScreen(window)
  await vi.waitFor(() => expect(JSON.stringify(toldTo(window))).toContain('Ideas.PERPSCOPE'))
  expect(toldTo(window)).toContainEqual({ kind: 'event', name: 'links.opened', payload: { address: '/raw' } })
})

it('keeps what comes while a page is reloaded', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  loadPage(window)
  app.emit('second-instance', {}, ['/electron', 'perpscope://raw'], '/')
  expect(toldTo(window)).toEqual([])
  showFirstScreen(window)
  expect(toldTo(window)).toHaveLength(1)
})

it('finds files by address, by relative path and in capitals, and no file of another machine', () => {
  const home = resolve('/home')
  const argv = [pathToFileURL(join(home, 'a b.parquet')).href, './C.PARQUET', 'file://elsewhere/x.parquet', 'file:bad%']
  const files = openingOf(argv, home).files
  expect(files.slice(0, 2)).toEqual([join(home, 'a b.parquet'), join(home, 'C.PARQUET')])
  if (process.platform !== 'win32') expect(files).toHaveLength(2)
})

it('claims its links for an installed app only', async () => {
  await startedDesktop([], () => (desktop.packaged = true))
  expect(desktop.linkClients).toEqual(['perpscope'])
  await startedDesktop()
  expect(desktop.linkClients).toEqual([])
  expect(FakeWindow.open).toHaveLength(1)
})
