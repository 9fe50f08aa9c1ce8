import { afterEach, expect, it, vi } from 'vitest'
import { ownAppImage } from '#core/ports.ts'
import { ownProgram } from '../../electron/cli/systemEntry.ts'
import { commandLineOf } from '../../electron/main/launchOptions.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const { versions } = process
afterEach(() => {
  Object.defineProperty(process, 'versions', { value: versions })
  Reflect.deleteProperty(process, 'defaultApp')
  vi.unstubAllEnvs()
})

const inElectron = () => Object.defineProperty(process, 'versions', { value: { ...versions, electron: '45.0.0' } })

it('what the installed app tells the system to start is a command, and not its window', () => {
  inElectron()
  const { command } = ownProgram(['schedule', 'run'])
  expect(command[0]).toBe(process.execPath)
  expect(commandLineOf(command.slice(1))).toEqual(['schedule', 'run'])
})

it('a checkout on Electron names its folder first', () => {
  inElectron()
  Object.assign(process, { defaultApp: true })
  const { command } = ownProgram(['serve'])
  expect(command[1]).toBe(process.argv[1])
  expect(commandLineOf(command.slice(2))).toEqual(['serve'])
})

it.each([
  ['of an AppImage', '/tmp/.mount_Persp', '/tmp/.mount_Persp/perpscope-desktop', '/opt/Perpscope.AppImage'],
  ['started by another AppImage', '/tmp/.mount_Term', '/opt/Perpscope/perpscope-desktop', null],
  ['whose folder begins with the same letters', '/tmp/.mount', '/tmp/.mount2/perpscope-desktop', null],
])('a program %s knows whether that file is its own', (_what, APPDIR, program, own) => {
  expect(ownAppImage({ APPDIR, APPIMAGE: '/opt/Perpscope.AppImage' }, program)).toBe(own)
})

it('the system starts an AppImage by its file, because its program is unmounted between two starts', () => {
  inElectron()
  vi.stubEnv('APPIMAGE', '/opt/Perpscope.AppImage')
  vi.stubEnv('APPDIR', process.execPath.replace(/[/\\][^/\\]+$/, ''))
  if (process.platform !== 'win32') expect(ownProgram([]).command[0]).toBe('/opt/Perpscope.AppImage')
})
