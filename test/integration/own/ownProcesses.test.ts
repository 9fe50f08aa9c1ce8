import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { run as runCommandLine } from '../../../electron/cli/run.ts'
import { program } from '../../fakes/commandLine.ts'
import { compileCacheEnv } from '../../fakes/compileCacheEnv.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

async function perpscope(dataDir: string, args: readonly string[], signal = new AbortController().signal) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
  const ended = runCommandLine([...args, '--data-dir', dataDir], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal,
  })
  return { written, status: ended }
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

test('an add that is killed leaves no dataset, and the next command that needs own data removes its files', async () => {
  const dataDir = dataFolder()
  const csv = join(temporaryFolder(), 'large.csv')
  const rows = Array.from({ length: 400_000 }, (_, row) => `${1_767_225_600 + row * 60},${row / 7}`)
  writeFileSync(csv, ['time,value', ...rows].join('\n'))
  const own = join(dataDir, 'files/own')
  const child = spawn(process.execPath, [program, 'data', 'add', 'large', csv, '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, ...compileCacheEnv },
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => namesIn(own).length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0)
  child.kill('SIGKILL')
  expect(await closed).toEqual([null, 'SIGKILL'])
  const list = await perpscope(dataDir, ['data', 'list', '--json'])
  expect([await list.status, list.written.stdout.trim()]).toEqual([0, '[]'])
  expect(namesIn(own)).toEqual([])
  const again = await perpscope(dataDir, ['data', 'add', 'large', csv, '--json'])
  expect(await again.status).toBe(0)
  expect(JSON.parse(again.written.stdout)).toMatchObject({ rows: 400_000, duplicates: 0 })
  expect(namesIn(own)).toEqual(['large'])
}, 60_000)

test('a watched dataset takes new files and those written in place of others, and goes on after one that is refused', async () => {
  const dataDir = dataFolder()
  const folder = join(temporaryFolder(), 'levels')
  mkdirSync(folder)
  const write = (name: string, day: string, value: string) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.new`, `time,value\n${day}T00:00Z,${value}\n${day}T01:00Z,2\n`)
    renameSync(`${path}.new`, path)
  }
  write('a.csv', '2026-07-01', '1')
  expect(await (await perpscope(dataDir, ['data', 'add', 'levels', folder, '--unit', 'value=none'])).status).toBe(0)
  const controller = new AbortController()
  const { written, status } = await perpscope(
    dataDir,
    ['data', 'refresh', 'levels', '--watch', '--json'],
    controller.signal,
  )
  const changes = () =>
    written.stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object)
  const next = (count: number) => expect.poll(() => changes().length, { timeout: 20_000 }).toBe(count)
  await next(1)
  // The watch begins after the first answer; a change that comes before it would not be seen.
  await expect
    .poll(
      () => {
        if (changes().length === 1) write('b.csv', '2026-07-02', '1')
        return changes()[1]
      },
      { timeout: 20_000, interval: 3000 },
    )
    .toMatchObject({ added: 2, changed: 0, removed: 0 })
  write('a.csv', '2026-07-01', '1x')
  await expect.poll(() => written.stderr, { timeout: 20_000 }).toContain('a.csv, line 2, column value')
  write('a.csv', '2026-07-01', '5')
  await expect.poll(() => changes().at(-1), { timeout: 20_000 }).toMatchObject({ added: 0, changed: 1, removed: 0 })
  // A folder that comes later is watched, too.
  write('august/first/c.csv', '2026-08-01', '1')
  await expect.poll(() => changes().at(-1), { timeout: 20_000 }).toMatchObject({ added: 2, changed: 0, removed: 0 })
  write('august/first/d.csv', '2026-08-02', '1')
  await expect.poll(() => changes().length, { timeout: 20_000 }).toBe(5)
  renameSync(join(folder, 'august'), join(temporaryFolder(), 'august'))
  await expect.poll(() => changes().at(-1), { timeout: 20_000 }).toMatchObject({ added: 0, changed: 0, removed: 4 })
  controller.abort()
  await status
}, 90_000)

test('a start with a window removes what a killed add left', async () => {
  const dataDir = dataFolder()
  const own = join(dataDir, 'files/own')
  mkdirSync(join(own, '.adding-4194304-abc/month=2026-07'), { recursive: true })
  const app = createApp(fakePorts(), { version: '0', dataDir })
  onTestFinished(() => app.close())
  await app.clientFor(fakeHost()).call('app.shown', {})
  await expect.poll(() => namesIn(own), { timeout: 20_000 }).toEqual([])
})
