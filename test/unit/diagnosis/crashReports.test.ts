import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '#core/clients/redact.ts'
import { createCrashReports } from '#core/diagnosis/crashReports.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function openReports() {
  const dataDir = temporaryFolder()
  const redactor = createRedactor()
  redactor.hide('CANARY-key-0123456789')
  const clock = fakeClock()
  return {
    dataDir,
    clock,
    folder: join(dataDir, 'crashes'),
    ...createCrashReports({ dataDir, version: '1.2.3', clock, redactor }),
  }
}

test('reports are read newest first, without keys and homes, by their owner alone, until they are deleted', () => {
  const { folder, clock, write, list, remove } = openReports()
  expect(list()).toEqual([])
  write({ process: 'window', reason: 'crashed (5)', detail: '' })
  clock.advance(1000)
  write({ process: 'main process', reason: 'CANARY-key-0123456789', detail: `at ${homedir()}/a.js` })
  expect(list()).toMatchObject([
    { process: 'main process', version: '1.2.3', detail: 'at ~/a.js' },
    { process: 'window', reason: 'crashed (5)' },
  ])
  expect(JSON.stringify(list())).not.toContain('CANARY')
  if (process.platform !== 'win32')
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  remove()
  expect(list()).toEqual([])
})

test('only the last twenty are kept, and a damaged one hides no other', () => {
  const { folder, clock, write, list } = openReports()
  for (let count = 0; count < 25; count++) {
    write({ process: 'GPU process', reason: String(count), detail: 'x'.repeat(50_000) })
    clock.advance(1000)
  }
  expect(list().map(({ reason }) => Number(reason))).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index))
  expect(list()[0].detail).toHaveLength(16_000)
  writeFileSync(join(folder, readdirSync(folder)[0]), 'not JSON')
  expect(list()).toHaveLength(19)
})

test('a folder that cannot be written fails nothing', () => {
  const { dataDir, write, list } = openReports()
  writeFileSync(join(dataDir, 'crashes'), 'a file')
  write({ process: 'window', reason: 'crashed', detail: '' })
  expect(list()).toEqual([])
})
