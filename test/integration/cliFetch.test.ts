import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliSession, type EndedCommand } from '../fakes/cliSession.ts'

const fetchArgs = (dataset: string, start: string, end: string) => [
  ...['fetch', '--dataset', dataset, '--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT'],
  ...['--interval', '1h', '--timestamp', 'exchange', '--start', start, '--end', end, '--json'],
]
const statesOf = ({ lines }: EndedCommand) => lines.slice(0, -1).map(({ state }) => state)

test('fetch plans, downloads, finds it cached, and works offline from then on', async () => {
  const { runHere: run } = await cliSession()
  const args = fetchArgs('vtwap', '2026-09-01', '2026-09-03')
  const dry = await run([...args, '--dry-run'])
  expect(dry.status).toBe(0)
  expect(statesOf(dry)).toEqual(['missing', 'missing', 'missing'])
  const first = await run(args)
  expect(first.status, first.stderr).toBe(0)
  expect(statesOf(first)).toEqual(['downloaded', 'downloaded', 'downloaded'])
  for (const line of first.lines.slice(0, -1)) {
    expect(Object.keys(line)).toEqual(
      'dataset exchange symbol interval timestamp period state bytes path error'.split(' '),
    )
    expect(line.error).toBeNull()
    expect(existsSync(String(line.path))).toBe(true)
  }
  expect(first.lines.at(-1)).toMatchObject({ summary: { files: 3, downloaded: 3, failed: 0 } })
  const offline = await run([...args, '--offline'])
  expect([offline.status, statesOf(offline)]).toEqual([0, ['cached', 'cached', 'cached']])
  const more = await run([...fetchArgs('vtwap', '2026-09-01', '2026-09-04'), '--offline'])
  expect([more.status, statesOf(more)]).toEqual([3, ['cached', 'cached', 'cached', 'failed']])
})

test('fetch says what the key does not open, and which key is refused', async () => {
  const { run } = await cliSession()
  const part = await run(fetchArgs('vtwap,flow', '2026-09-01', '2026-09-01'), 'sandbox-tier-0')
  expect(part.status).toBe(3)
  expect(statesOf(part).toSorted()).toEqual(['downloaded', 'locked'])
  expect(part.stderr).toContain('Tier 1')
  const refused = await run(fetchArgs('vtwap,flow', '2026-09-02', '2026-09-04'), 'no-such-key')
  expect(refused.status).toBe(1)
  expect(statesOf(refused)).toEqual(Array(6).fill('failed'))
  expect(refused.stderr).toContain('refused the API key')
  expect(refused.stderr).toContain('The API key is missing or not valid')
  const forPeople = await run(fetchArgs('vtwap', '2026-09-02', '2026-09-04').slice(0, -1), 'no-such-key')
  expect(forPeople.stdout).toMatch(/^failed .*2026-09-02: The service refused the API key\.$/m)
  const keyless = await run(fetchArgs('vtwap', '2026-09-02', '2026-09-02'), '')
  expect([keyless.status, statesOf(keyless)]).toEqual([1, ['failed']])
  expect(keyless.stderr).toContain('No API key is set')
  const broken = await run(fetchArgs('vtwap', '2026-09-02', '2026-09-02'), 'two\nlines')
  expect([broken.status, statesOf(broken)]).toEqual([1, ['failed']])
  expect(broken.stderr).toMatch(/The API key has a line break .* so nothing was sent\. .*PERPSCOPE_API_KEY_FILE/)
  const dry = await run([...fetchArgs('flow', '2026-09-01', '2026-09-01'), '--dry-run'])
  expect(dry.stderr).toMatch(/refused flow.* on 20\d\d-\d\d-\d\d \(.*Tier 1.*\); the next fetch requests it again/)
  const now = await run(fetchArgs('flow', '2026-09-01', '2026-09-01'))
  expect([now.status, statesOf(now)]).toEqual([0, ['downloaded']])
})

test('an interrupted fetch keeps what came and leaves nothing in the queue', async () => {
  const { runHere: run, start, sandbox } = await cliSession()
  sandbox.setFaults({ rules: [{ on: 'storage', skip: 2, bytesPerSecond: 100 }] })
  const { ended, firstLine, interrupt } = start(fetchArgs('vtwap', '2026-09-01', '2026-09-10'))
  expect(JSON.parse(await firstLine)).toMatchObject({ state: 'downloaded' })
  interrupt()
  const { status, lines } = await ended
  expect(status).toBe(130)
  expect(lines.filter(({ state }) => state === 'downloaded').length).toBeGreaterThan(0)
  const queue = await run(['queue', 'list', '--json'])
  expect(queue.lines[0]).toMatchObject({ counts: { queued: 0, running: 0, waiting: 0 } })
  sandbox.setFaults({})
  const again = await run(fetchArgs('vtwap', '2026-09-01', '2026-09-10'))
  expect(again.status).toBe(0)
  expect(statesOf(again)).toContain('cached')
})

test('an interrupted fetch reports every file that is in the cache as downloaded', async () => {
  const { runHere, start } = await cliSession()
  const args = fetchArgs('flow', '2026-08-01', '2026-09-10').map((word) => (word === '1h' ? '1m' : word))
  const { ended, firstLine, interrupt } = start([...args, '--concurrency', '32'])
  await firstLine
  interrupt()
  const { status, lines } = await ended
  expect(status).toBe(130)
  const cached = await runHere(['ls', '--json'])
  const { downloaded, failed } = lines.at(-1)!.summary as Record<string, number>
  expect([downloaded, failed]).toEqual([cached.lines.length, 41 - downloaded])
  const listed = await runHere(['queue', 'list', '--all', '--json'])
  expect(listed.lines[0]).toMatchObject({ counts: { done: downloaded, cancelled: failed, queued: 0, running: 0 } })
})

test('queue shows failures and tries them again', async () => {
  const { runHere: run, sandbox } = await cliSession()
  sandbox.setFaults({ rules: [{ on: 'storage', status: 404 }] })
  const failed = await run(fetchArgs('vtwap', '2026-09-01', '2026-09-01'))
  expect([failed.status, statesOf(failed)]).toEqual([1, ['failed']])
  const { downloads } = (await run(['queue', 'list', '--json'])).lines[0] as { downloads: { id: number }[] }
  expect(downloads).toMatchObject([{ state: 'failed', period: '2026-09-01' }])
  const id = String(downloads[0].id)
  expect((await run(['queue', 'retry', id, '--json'])).lines).toEqual([{ retried: 1 }])
  expect((await run(['queue', 'pause', '--json'])).lines).toEqual([{ paused: 1 }])
  expect((await run(['queue', 'resume', '--json'])).lines).toEqual([{ resumed: 1 }])
  expect((await run(['queue', 'cancel', id, '--json'])).lines).toEqual([{ cancelled: 1 }])
  expect((await run(['queue', 'cancel', id])).status).toBe(1)
  expect((await run(['queue', 'cancel', 'x'])).status).toBe(2)
})

test('a mistake in the arguments is reported', async () => {
  const { runHere: run } = await cliSession()
  const mistakes = [
    [fetchArgs('vtwap', '2026-09-31', '2026-09-01'), /--start must be a day/],
    [fetchArgs('vtwap', '2026-09-02', '2026-09-01'), /--end must not be before/],
    [
      ['fetch', '--dataset', 'vtwap'],
      /^--exchange, --symbol, --interval, --timestamp, --start and --end are missing\..*\nVenues of “desk”: venuea-futures, .*\nFor example: perpscope fetch --dataset vtwap /,
    ],
  ] as const
  for (const [args, message] of mistakes) {
    const { status, stderr } = await run(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(message)
  }
})

test('an error that every file has is reported once, in a sentence', async () => {
  const { runHere: run, sandbox } = await cliSession()
  sandbox.setFaults({ rules: [{ on: 'api', path: '/data/', status: 404 }] })
  const { status, stdout, stderr } = await run(fetchArgs('vtwap', '2026-09-01', '2026-09-05').slice(0, -1))
  expect(status).toBe(1)
  expect(stdout.match(/^failed /gm)).toHaveLength(5)
  expect(stdout).not.toContain('http://')
  expect(stderr.match(/status 404/g)).toHaveLength(1)
})

test('a set is saved, listed, fetched again and again, and removed', async () => {
  const { runHere: run } = await cliSession()
  const choices = fetchArgs('vtwap', '2026-09-01', '2026-09-03').slice(1, -5)
  const save = ['set', 'save', 'Morning', ...choices]
  expect((await run(save)).status).toBe(2)
  expect((await run([...save, '--last', '2', '--start', '2026-09-01'])).status).toBe(2)
  const saved = await run([...save, '--last', '2', '--json'])
  expect(saved.lines[0]).toMatchObject({ name: 'Morning', start: { lastDays: 2 }, datasets: ['vtwap'] })
  const first = await run(['fetch', '--set', 'morning', '--json'])
  expect(first.status, first.stderr).toBe(0)
  expect(first.lines.at(-1)).toMatchObject({ summary: { files: 2 } })
  const listed = await run(['set', 'list'])
  expect(listed.stdout).toMatch(/Morning +last 2 days +vtwap/)
  expect(listed.stdout).not.toContain('never')
  expect((await run(['fetch', '--set', 'Morning', '--dataset', 'flow'])).status).toBe(2)
  const unknown = await run(['fetch', '--set', 'Mornin'])
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('Did you mean “Morning”?')])
  expect((await run(['set', 'remove', 'MORNING'])).status).toBe(0)
  expect((await run(['set', 'list', '--json'])).lines[0]).toEqual([])
})

test('fetch downloads raw events too, and compute uses them without being told which', async () => {
  const { runHere: run, dataDir } = await cliSession()
  const place = ['--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT', '--json']
  const days = ['--start', '2026-09-01', '--end', '2026-09-02']
  const fetched = await run(['fetch', '--raw', '--dataset', 'funding_rate,mark_price', ...place, ...days])
  expect(fetched.status, fetched.stderr).toBe(0)
  expect(statesOf(fetched)).toEqual(['downloaded', 'downloaded', 'downloaded', 'downloaded'])
  expect(statesOf(await run(['fetch', '--raw', '--dataset', 'mark_price', ...place, ...days]))).toEqual([
    'cached',
    'cached',
  ])
  const out = join(dataDir, 'funding.parquet')
  const metric = ['--dataset', 'funding', '--interval', '2h', '--timestamp', 'exchange', '--out', out]
  const computed = await run(['compute', ...metric, ...place, ...days])
  expect(computed.status, computed.stderr).toBe(0)
  expect(existsSync(out)).toBe(true)
  for (const wrong of [
    ['--dataset', 'flow'],
    ['--dataset', 'trades', '--interval', '1m'],
  ])
    expect((await run(['fetch', '--raw', ...wrong, ...place, ...days])).status).toBe(2)
})
