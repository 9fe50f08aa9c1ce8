import { expect, test } from 'vitest'
import { isEntryOf, refreshFiles } from '#core/record/scheduleFiles.ts'

test.each(['linux', 'macos', 'windows'] as const)(
  'an entry of %s belongs to its own data folder, not to one whose path begins alike',
  (platform) => {
    const [own, other] = platform === 'windows' ? ['C:\\data2', 'C:\\data'] : ['/home/me/data2', '/home/me/data']
    const folders = { dataDir: own, home: '/home/me', config: '/home/me/.config' }
    const command = ['perpscope', 'schedule', 'run', '--data-dir', own, '--set', 'x'] as const
    const files = refreshFiles(platform, { command, keyFile: null }, folders)
    expect([own, other].map((dataDir) => isEntryOf(dataDir, files[0].text, platform))).toEqual([true, false])
  },
)
