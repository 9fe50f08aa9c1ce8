import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { get } from '../../fakes/testSandbox.ts'
import { program } from '../../fakes/commandLine.ts'

interface Run {
  child: ChildProcessByStdio<null, Readable, Readable>
  folder: string
  /** Resolves once stdout has this number of lines. */
  lines: (count: number) => Promise<string[]>
}

function runSandbox(...args: string[]): Run {
  const folder = temporaryFolder()
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, PERPSCOPE_DATA_DIR: join(folder, 'data') }
  const child = spawn(process.execPath, [program, 'sandbox', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (part) => (output += String(part)))
  const lines = async (count: number) => {
    while (output.split('\n').length <= count) await once(child.stdout, 'data')
    return output.split('\n')
  }
  return { child, folder, lines }
}

test('says its address first, then the key of each tier, and answers until it is interrupted', async () => {
  const { child, folder, lines } = runSandbox('--now', '2026-09-15T12:00:00Z')
  const [first, ...rest] = await lines(5)
  const url = /^Sandbox is ready at (http:\/\/127\.0\.0\.1:\d+)$/.exec(first)?.[1] ?? ''
  for (let tier = 0; tier < 4; tier++) expect(rest[tier]).toContain(`sandbox-tier-${tier}`)
  const symbols = `${url}/api/v1/metadata/symbols?exchange=venuea-futures`
  expect((await get(symbols, { 'x-api-key': 'sandbox-tier-0' })).status).toBe(200)
  expect(readdirSync(folder).some((name) => name.startsWith('perpscope-sandbox-'))).toBe(true)
  child.kill('SIGINT')
  const [status] = await once(child, 'exit')
  expect(status).toBe(130)
  expect(readdirSync(folder).filter((name) => name.startsWith('perpscope-sandbox-'))).toEqual([])
})

test('--json gives one document with everything a script needs', async () => {
  const { lines } = runSandbox('--json', '--seed', '7', '--faults', '{"rejectKeys":true}')
  const announced = JSON.parse((await lines(1))[0])
  const identifiers = ['portfolios', 'factors', 'overlays', 'regimes']
  expect(Object.keys(announced)).toEqual(['url', 'keys', 'catalog', ...identifiers, 'funding', 'planted'])
  const tierKeys = Object.fromEntries([0, 1, 2, 3].map((tier) => [tier, `sandbox-tier-${tier}`]))
  expect(announced.keys).toEqual({ ...tierKeys, demo: 'sandbox-demo' })
  for (const kind of [...identifiers, 'funding', 'planted']) expect(announced[kind].length).toBeGreaterThan(0)
  expect((await get(announced.catalog)).json()).toMatchObject({ schema_version: 1 })
  const refused = await get(`${announced.url}/api/v1/metadata/catalog`, { 'x-api-key': 'sandbox-tier-3' })
  expect(refused.status).toBe(401)
})

test.each([
  ['--faults', '{"latency":3}', 'faults has no field latency'],
  ['--faults', 'slow', '--faults must be JSON'],
  ['--now', 'noon', '--now must be a time'],
])('%s %s is wrong usage', async (option, value, message) => {
  const { child } = runSandbox(option, value)
  let said = ''
  child.stderr.on('data', (part) => (said += String(part)))
  const [status] = await once(child, 'close')
  expect([status, said]).toEqual([2, expect.stringContaining(message)])
})
