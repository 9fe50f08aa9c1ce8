import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '#core/clients/redact.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const read = (folder: string, name = 'perpscope.log') => readFileSync(join(folder, 'logs', name), 'utf8')

test('one entry a line, with time, process and level; following lines are indented', () => {
  const folder = temporaryFolder()
  const log = createFileLog(folder, { clock: fakeClock() })
  log.write('info', 'started')
  log.write('error', 'first\n2026-09-01T12:00:00.000Z 1 info forged\u0007\n')
  expect(read(folder)).toBe(
    `2026-09-01T12:00:00.000Z ${process.pid} info started\n` +
      `2026-09-01T12:00:00.000Z ${process.pid} error first\n    2026-09-01T12:00:00.000Z 1 info forged�\n`,
  )
  if (process.platform !== 'win32') expect(statSync(join(folder, 'logs', 'perpscope.log')).mode & 0o777).toBe(0o600)
})

test('secrets that show by their shape are not written', () => {
  const folder = temporaryFolder()
  createFileLog(folder).write('warn', 'GET https://f.example/x?X-Amz-Signature=CANARY with X-API-KEY: CANARY')
  expect(read(folder)).toContain('https://f.example/x?…')
  expect(read(folder)).not.toContain('CANARY')
})

test('a file that has grown is put away; only so many stay', () => {
  const folder = temporaryFolder()
  const log = createFileLog(folder, { maxBytes: 100, keptFiles: 2 })
  for (let entry = 0; entry < 10; entry++) log.write('info', `entry ${entry} ${'x'.repeat(80)}`)
  expect(readdirSync(join(folder, 'logs')).sort()).toEqual(['perpscope.1.log', 'perpscope.2.log', 'perpscope.log'])
  expect(read(folder)).toContain('entry 9')
  expect(read(folder, 'perpscope.1.log')).toContain('entry 8')
})

test('a log that cannot be written is no reason to fail', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'logs'), 'a file where the folder should be')
  chmodSync(join(folder, 'logs'), 0o400)
  expect(() => createFileLog(folder).write('error', 'x')).not.toThrow()
})

test('a secret that any part of this process knows is not written', () => {
  const folder = temporaryFolder()
  createRedactor().hide('canary-log-77aa-51c9')
  createFileLog(folder).write('error', 'uncaught exception: Error: no canary-log-77aa-51c9 here\n    at x (y.ts:1)')
  expect(read(folder)).toContain('uncaught exception: Error: no [hidden] here')
})
