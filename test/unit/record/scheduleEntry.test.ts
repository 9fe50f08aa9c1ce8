import { expect, test } from 'vitest'
import { HOURLY, isEntryOf, nextRunAfter, refreshFiles } from '#core/record/scheduleFiles.ts'

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

test('an entry runs once a day or every few hours where that is asked for', () => {
  const folders = { dataDir: '/data', home: '/home/me', config: '/home/me/.config' }
  const program = { command: ['perpscope', 'schedule', 'run'], keyFile: null }
  const textOf = (platform: 'linux' | 'macos' | 'windows', everyHours: number, hour: number, minute: number) =>
    refreshFiles(platform, program, folders, { everyHours, hour, minute }).at(-1)?.text ?? ''
  expect(textOf('linux', 24, 2, 30)).toContain('every day\n\n[Timer]\nOnCalendar=*-*-* 02:30:00\n')
  expect(textOf('linux', 6, 0, 5)).toContain('OnCalendar=*-*-* 00,06,12,18:05:00\n')
  expect(textOf('macos', 24, 2, 30)).toContain(
    '<key>Hour</key>\n    <integer>2</integer>\n    <key>Minute</key>\n    <integer>30</integer>',
  )
  expect(textOf('macos', 12, 0, 5).match(/<key>Hour<\/key>/g)).toHaveLength(2)
  expect(textOf('windows', 24, 2, 30)).toContain(
    '<StartBoundary>2026-01-01T02:30:00</StartBoundary>\n      <ScheduleByDay>',
  )
  expect(textOf('windows', 6, 0, 5)).toContain('<Interval>PT6H</Interval>')
})

test('the next run is after now, at the local times of the schedule', () => {
  const now = new Date(2026, 8, 15, 14, 5, 0)
  const next = (timing: typeof HOURLY) => nextRunAfter(timing, now.getTime())
  expect(next(HOURLY)).toEqual(new Date(2026, 8, 15, 15, 5))
  expect(next({ everyHours: 24, hour: 2, minute: 30 })).toEqual(new Date(2026, 8, 16, 2, 30))
  expect(next({ everyHours: 24, hour: 14, minute: 6 })).toEqual(new Date(2026, 8, 15, 14, 6))
  expect(next({ everyHours: 6, hour: 0, minute: 5 })).toEqual(new Date(2026, 8, 15, 18, 5))
})
