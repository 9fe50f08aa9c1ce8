import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultDataDir, prepareDataDir } from '#core/dataDir.ts'

const on = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
  defaultDataDir({ platform, env, home: join('home', 'ada') }).replaceAll('\\', '/')

describe('the default data folder', () => {
  it.each([
    ['linux', {}, 'home/ada/.local/share/perpscope'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/perpscope'],
    ['linux', { XDG_DATA_HOME: 'relative' }, 'home/ada/.local/share/perpscope'],
    ['linux', { XDG_DATA_HOME: '' }, 'home/ada/.local/share/perpscope'],
    ['darwin', { XDG_DATA_HOME: '/data' }, 'home/ada/Library/Application Support/Perpscope'],
    ['win32', { APPDATA: 'C:/Roaming' }, 'C:/Roaming/Perpscope'],
    ['win32', {}, 'home/ada/AppData/Roaming/Perpscope'],
  ] as const)('on %s with %j is %s', (platform, env, expected) => {
    expect(on(platform, env)).toBe(expected)
  })
})

it.runIf(process.platform === 'linux')(
  'a folder where none can be created is refused instead of tried for ever',
  () => {
    for (const folder of ['/proc/x', '/proc/x/y/z'])
      expect(() => prepareDataDir(folder)).toThrow(expect.objectContaining({ code: 'read-only' }) as Error)
  },
)
