import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { fitToScreens, readWindowPlace, type WindowPlace } from '../../electron/main/mainWindow.ts'
import { desktop } from '../fakes/electron.ts'
import { startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const screen = { x: 0, y: 0, width: 1920, height: 1040 }
const second = { x: 1920, y: 0, width: 1280, height: 1000 }
const place = (part: Partial<WindowPlace>): WindowPlace => ({
  x: 100,
  y: 80,
  width: 1200,
  height: 800,
  maximized: false,
  ...part,
})
const startWith = (text: string) => startedDesktop([], () => writeFileSync(join(process.argv[3], 'window.json'), text))

it('opens where it was closed', async () => {
  const { window } = await startWith(JSON.stringify(place({ x: 300, maximized: true })))
  expect(window.options).toMatchObject({ x: 300, y: 80, width: 1200, height: 800 })
  // Maximizing shows a window, so the app maximizes it only once the page is painted.
  expect(window.maximized).toBe(false)
  window.finishLoading()
  expect(window.maximized).toBe(true)
})

it('remembers its place when it closes, and leaves no half-written file', async () => {
  const { window, dataDir } = await startedDesktop()
  window.bounds = { x: 5, y: 6, width: 1000, height: 700 }
  window.maximized = true
  window.close()
  expect(JSON.parse(readFileSync(join(dataDir, 'window.json'), 'utf8'))).toEqual({
    x: 5,
    y: 6,
    width: 1000,
    height: 700,
    maximized: true,
  })
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.part'))).toEqual([])
})

it.each(['', '{', 'null', '[]', '{"x":"left"}', '{"x":1,"y":1,"width":-5,"height":0,"maximized":false}', '\0\0\0'])(
  'opens as it does the first time where the file contains %j',
  async (text) => {
    const { window } = await startWith(text)
    expect(window.options).toMatchObject({ width: 1440, height: 900 })
    expect(window.options).not.toHaveProperty('x')
  },
)

it('opens as it does the first time where there is no file', () => {
  expect(readWindowPlace('/nowhere/window.json')).toEqual({
    x: null,
    y: null,
    width: 1440,
    height: 900,
    maximized: false,
  })
})

it('comes back into sight where its screen is gone', async () => {
  desktop.displays = [{ workArea: screen }]
  const { window } = await startWith(JSON.stringify(place({ x: 2500 })))
  expect(window.options).not.toHaveProperty('x')
  expect(window.options).toMatchObject({ width: 1200, height: 800 })
})

it.each([
  ['fully visible', place({}), [screen], place({})],
  ['on the second screen', place({ x: 2000, width: 1000 }), [screen, second], place({ x: 2000, width: 1000 })],
  ['half off to the right, still to be grabbed', place({ x: 1800 }), [screen], place({ x: 1800 })],
  ['a sliver to the right', place({ x: 1900 }), [screen], place({ x: null, y: null })],
  ['off to the left', place({ x: -1150 }), [screen], place({ x: null, y: null })],
  ['title bar above the screen', place({ y: -30 }), [screen], place({ x: null, y: null })],
  ['title bar below the screen', place({ y: 1000 }), [screen], place({ x: null, y: null })],
  [
    'larger than the screen',
    place({ x: 0, y: 0, width: 5000, height: 3000 }),
    [screen],
    place({ x: 0, y: 0, width: 1920, height: 1040 }),
  ],
  ['too small to use', place({ width: 10, height: 10 }), [screen], place({ width: 960, height: 600 })],
  ['no screen at all', place({}), [], place({ x: null, y: null })],
])('fits: %s', (_what, wanted, screens, expected) => expect(fitToScreens(wanted, screens)).toEqual(expected))

it('always ends where a person can grab it', () => {
  const number = fc.integer({ min: -10_000, max: 10_000 })
  const size = fc.integer({ min: 1, max: 10_000 })
  fc.assert(
    fc.property(number, number, size, size, (x, y, width, height) => {
      const fitted = fitToScreens(place({ x, y, width, height }), [screen, second])
      if (fitted.x === null || fitted.y === null) return
      const grips = [screen, second].filter(
        (each) => fitted.x! < each.x + each.width - 99 && fitted.x! + fitted.width > each.x + 99 && fitted.y! >= each.y,
      )
      expect(grips).not.toEqual([])
    }),
  )
})
