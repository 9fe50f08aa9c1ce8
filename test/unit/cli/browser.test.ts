import { describe, expect, it } from 'vitest'
import { hasDisplay, openCommand } from '../../../electron/cli/browser.ts'

const page = 'file:///data/open.html'
const withPrograms = (platform: NodeJS.Platform, env: Record<string, string>, ...programs: string[]) =>
  openCommand(page, { platform, env, canExecute: (path) => programs.includes(path.replaceAll('\\', '/')) })

describe('opening the app', () => {
  it.each([
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['darwin', {}, true],
    ['win32', {}, true],
  ] as const)('on %s with %j: a display? %s', (platform, env, expected) => {
    expect(hasDisplay({ platform, env })).toBe(expected)
  })

  it('prefers a browser that shows it as a window of its own', () => {
    const env = { PATH: ['/bin', '/usr/bin'].join(process.platform === 'win32' ? ';' : ':') }
    expect(withPrograms('linux', env, '/usr/bin/chromium')).toEqual([
      expect.stringContaining('chromium'),
      `--app=${page}`,
    ])
    const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
    expect(withPrograms('darwin', {}, chrome)).toEqual([chrome, `--app=${page}`])
    const edge = 'C:/Programs/Microsoft/Edge/Application/msedge.exe'
    expect(withPrograms('win32', { PROGRAMFILES: 'C:\\Programs' }, edge)[1]).toBe(`--app=${page}`)
  })

  it('leaves it to the system otherwise', () => {
    expect(withPrograms('linux', { PATH: '/bin' })).toEqual(['xdg-open', page])
    expect(withPrograms('darwin', {})).toEqual(['open', page])
    expect(withPrograms('win32', {})[0]).toBe('rundll32')
  })
})
