import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpRequest } from '#core/clients/http.ts'
import { readAlarmFile } from '#core/record/alarmFile.ts'
import { createAlarms } from '#core/record/alarms.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const hit = { state: 'hit' as const, value: 2, time: 5, rows: null, why: null }
const { signal } = new AbortController()

/** Creates alarms whose requests are recorded; the first `failures` of them fail. */
function alarmsWith({ failures = 0, hosts = 'alerts.example.com' } = {}) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  store.settings.change({ alarmHosts: hosts })
  const fields = { name: 'desk', portfolioUrl: '', catalogLocation: '', tier: null }
  store.connections.add({ ...fields, metricsUrl: 'https://metrics.example.com' })
  const sent: HttpRequest[] = []
  const lines: string[] = []
  const http = {
    open: (request: HttpRequest) => {
      sent.push(request)
      if (sent.length <= failures) return Promise.reject(new Error('no answer'))
      const body = (async function* () {})()
      return Promise.resolve({ status: 204, headers: { get: () => null }, body, cancel: async () => {} })
    },
    forgetUnreachable: () => {},
  }
  const log = { write: (_level: string, message: string) => void lines.push(message) }
  return { alarms: createAlarms({ dataDir, store, http, log, waitsMs: [0, 0] }), sent, lines, dataDir }
}

test('a finding is posted as JSON without a key, to an allowed host, at most three times, and the log says so', async () => {
  const { alarms, sent, lines, dataDir } = alarmsWith({ failures: 2 })
  alarms.set('hot', { post: 'https://alerts.example.com/hook' })
  await alarms.sound('hot', hit, signal)
  await alarms.sound('another', hit, signal)
  expect(sent).toHaveLength(3)
  expect(sent[2]).toMatchObject({
    url: 'https://alerts.example.com/hook',
    post: JSON.stringify({ check: 'hot', ...hit }),
  })
  expect(sent.every((request) => !('key' in request))).toBe(true)
  expect(lines.at(-1)).toBe('alarm of the check “hot”: posted to alerts.example.com (204)')
  expect(JSON.parse(readFileSync(join(dataDir, 'alarms.json'), 'utf8'))).toMatchObject({ version: 1 })
  const failing = alarmsWith({ failures: 9 })
  failing.alarms.set('hot', { post: 'https://alerts.example.com/hook' })
  await failing.alarms.sound('hot', hit, signal)
  expect(failing.sent).toHaveLength(3)
  expect(failing.lines.at(-1)).toContain('could not be posted in 3 tries')
})

test('an address is refused unless its host was allowed, and is never one of a service', async () => {
  const { alarms, sent, lines } = alarmsWith({ hosts: 'alerts.example.com, metrics.example.com, 127.0.0.1:9000' })
  const refusal = (post: string) => alarms.refusal({ post })
  expect(refusal('https://alerts.example.com/hook')).toBeNull()
  expect(refusal('http://127.0.0.1:9000/hook')).toBeNull()
  expect(refusal('https://metrics.example.com/hook')).toContain('one of your services')
  expect(refusal('https://metrics.example.com:8443/hook')).toContain('one of your services')
  expect(refusal('https://elsewhere.example.com/hook')).toContain('perpscope check allow elsewhere.example.com')
  expect(refusal('http://alerts.example.com/hook')).toContain('https addresses only')
  expect(refusal('https://me:secret@alerts.example.com/')).toContain('user name or password')
  expect(alarms.serviceProblem('metrics.example.com:8443')).toContain('one of your services')
  expect(alarms.serviceProblem('elsewhere.example.com')).toBeNull()
  expect(refusal('nonsense')).toContain('is not an address')
  alarms.set('hot', { post: 'https://elsewhere.example.com/hook' })
  await alarms.sound('hot', hit, signal)
  expect([sent, lines.at(-1)]).toEqual([[], expect.stringContaining('Checks may not post to elsewhere.example.com')])
})

test('a command gets the finding on its input and runs without a shell; its failure is only logged', async () => {
  const { alarms, lines } = alarmsWith()
  const folder = temporaryFolder()
  const script = join(folder, 'take.mjs')
  writeFileSync(
    script,
    `import { readFileSync, rmSync, writeFileSync } from 'node:fs'
writeFileSync(process.argv[2], readFileSync(0, 'utf8'))`,
  )
  const target = join(folder, 'it’s $HOME; here')
  alarms.set('hot', { run: [process.execPath, script, target] })
  await alarms.sound('hot', hit, signal)
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ check: 'hot', ...hit })
  alarms.rename('hot', 'cold')
  alarms.set('cold', { run: ['/nowhere/program'] })
  await alarms.sound('cold', hit, signal)
  expect(lines.at(-1)).toBe('alarm of the check “cold”: /nowhere/program could not be started (ENOENT)')
  alarms.set('cold', null)
  expect(alarms.all()).toEqual({})
})

test('a redirect is not followed', async () => {
  const { createHttpClient } = await import('#core/clients/http.ts')
  const { createRedactor } = await import('#core/clients/redact.ts')
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const http = createHttpClient({
    clock: { nowMs: Date.now },
    redactor: createRedactor(),
    record: () => {},
    isOffline: () => false,
    route: () => ({ proxy: null, caFiles: [] }) as never,
  })
  onTestFinished(() => http.close())
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  store.settings.change({ alarmHosts: host })
  const lines: string[] = []
  const log = { write: (_level: string, message: string) => void lines.push(message) }
  const alarms = createAlarms({ dataDir, store, http, log, waitsMs: [] })
  alarms.set('hot', { post: `http://${host}/hook` })
  await alarms.sound('hot', hit, signal)
  expect(asked).toEqual(['POST /hook'])
  expect(lines.at(-1)).toContain('redirects elsewhere')
})

test('a damaged file of alarms is kept when the next alarm is saved', () => {
  const { alarms, dataDir } = alarmsWith()
  writeFileSync(join(dataDir, 'alarms.json'), '{"alarms":{"hot":{"run":["beep"]}')
  expect(alarms.all()).toEqual({})
  alarms.set('cold', { run: ['beep'] })
  expect(alarms.all()).toEqual({ cold: { run: ['beep'] } })
  expect(readFileSync(join(dataDir, 'alarms.json.damaged'), 'utf8')).toContain('"hot"')
  expect(readAlarmFile(dataDir).problem).toContain('alarms.json.damaged has alarms that could not be read')
  rmSync(join(dataDir, 'alarms.json.damaged'))
  expect(readAlarmFile(dataDir).problem).toBeNull()
})

test.each([
  ['{"alarms":', 'it is not JSON'],
  ['[]', 'it has no alarms'],
  ['{"alarms":{"hot":{"run":"beep"},"cold":{"run":["beep"]}}}', 'the alarm of hot cannot be read'],
])('says that alarms of %s do not sound, also in the log when one would', async (text, problem) => {
  const { alarms, dataDir, lines } = alarmsWith()
  writeFileSync(join(dataDir, 'alarms.json'), text)
  expect(readAlarmFile(dataDir).problem).toContain(problem)
  await alarms.sound('hot', hit, signal)
  expect(lines).toEqual([expect.stringContaining(problem)])
})
