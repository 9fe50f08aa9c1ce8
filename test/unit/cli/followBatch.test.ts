import { expect, test } from 'vitest'
import type { App } from '#core/app.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { numberColumn, textColumn } from '#shared/contract/frame.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { fetchFiles, type FetchRequest } from '../../../electron/cli/fetching/fetchFiles.ts'
import { createFetchReport } from '../../../electron/cli/fetching/fetchReport.ts'
import {
  createSettlement,
  createTurnCheck,
  createWaitNotes,
  followBatch,
} from '../../../electron/cli/fetching/followBatch.ts'
import { createOutput } from '../../../electron/cli/print.ts'

const series = { dataset: 'flow', exchange: 'venuea', symbol: 'BTC', interval: '1h', timestamp: 'exchange' }
const ended = (id: number, state: 'done' | 'cancelled', endedAt: number) => ({
  ...{ ...series, id, state, endedAt, period: `2026-08-0${id}`, totalBytes: 10, path: null, error: null },
  ...{ outcome: state === 'done' ? 'downloaded' : null, storeProblem: null },
})

const noJobs = { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }

const never = new AbortController().signal

function jsonOutput() {
  const lines: string[] = []
  const problems: string[] = []
  const sinks = {
    stdout: { write: (text: string) => void lines.push(text) },
    stderr: { write: (text: string) => void problems.push(text) },
  }
  const out = createOutput({ json: true, quiet: false, env: {}, ...sinks })
  return { out, problems, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

const coreOf = (answers: Record<string, () => unknown>) =>
  ({ call: (name: string) => new Promise((resolve) => resolve(answers[name]())) }) as unknown as Client

/** Answers of a core whose downloads are paused because the disk is full. */
function fullDisk(fails: 'downloads.enqueue' | 'downloads.cancel') {
  const full = new AppError('disk-full', 'The folder is /data.')
  const fail = () => {
    throw full
  }
  const names = Object.entries(series).map(([name, value]) => textColumn(name, [value, value]))
  const columns = [
    ...names,
    textColumn('period', ['2026-08-01', '2026-08-02']),
    textColumn('state', ['missing', 'missing']),
  ]
  return {
    'downloads.plan': () => ({ rows: 2, columns: [...columns, numberColumn('fetch', [1, 1])] }),
    'downloads.preview': () => ({ bytes: 0, outsideListing: 0 }),
    'downloads.enqueue': () => ({ batchId: 1 }),
    'downloads.progress': () => ({
      ...{ here: true, bytesPerSecond: 0, running: [], counts: noJobs },
      holds: [{ ...full.toShape(), connectionId: '', until: null }],
    }),
    'downloads.results': () => ({ files: 2, downloads: [ended(1, 'done', 5)] }),
    [fails]: fail,
  }
}

test.each([
  ['downloads.enqueue', 0, 1],
  ['downloads.cancel', 1, 3],
] as const)('a disk that is full at %s still gets a summary', async (fails, downloaded, expected) => {
  const { out, problems, records } = jsonOutput()
  const core = coreOf(fullDisk(fails))
  const request = { connectionId: 'desk', endDay: '2026-08-02' } as FetchRequest['request']
  const status = await fetchFiles(
    {
      ...{ out, offline: false, signal: never, client: () => Promise.resolve(core) },
      app: () => Promise.resolve({ runDownloads() {} } as unknown as App),
    },
    {
      ...{ request, isDryRun: false, concurrency: undefined, explainAbsent: () => Promise.resolve([]) },
      enqueue: () => core.call('downloads.enqueue', {} as never),
    },
  )
  expect(status).toBe(expected)
  expect(records().at(-1)).toMatchObject({ summary: { files: 2, downloaded, failed: 2 - downloaded } })
  expect(problems.join('')).toContain('no space left on the disk. The folder is /data. Free up space')
})

test('a file that arrives after the cancellation of its download is reported once, as downloaded', async () => {
  const { out, records } = jsonOutput()
  const report = createFetchReport(out, false)
  const running = [[{ id: 1, doneBytes: 10, totalBytes: 10 }], []]
  const results = [[ended(1, 'cancelled', 5), ended(2, 'cancelled', 5)], [ended(1, 'done', 6)]]
  const core = coreOf({
    'downloads.progress': () => ({
      holds: [],
      here: true,
      bytesPerSecond: 0,
      counts: noJobs,
      running: running.shift() ?? [],
    }),
    'downloads.results': () => ({ files: 2, downloads: results.shift() ?? [] }),
  })
  await followBatch(core, 1, 'desk', report, out, never)
  report.end({})
  const states = records()
  expect(states.map(({ period, state }) => [period, state]).slice(0, 2)).toEqual([
    ['2026-08-01', 'downloaded'],
    ['2026-08-02', 'failed'],
  ])
  expect(states.at(-1)).toMatchObject({ summary: { files: 2, downloaded: 1, failed: 1 } })
})

test('files that an interruption cancelled do not count as done', async () => {
  const { out } = jsonOutput()
  const shown: Progress[] = []
  const running = [[], [{ id: 2, doneBytes: 10, totalBytes: 10 }], []]
  const results = [
    [ended(1, 'done', 4)],
    [ended(2, 'cancelled', 5), ended(3, 'cancelled', 5), ended(4, 'cancelled', 5)],
  ]
  const core = coreOf({
    'downloads.progress': () => ({
      holds: [],
      here: true,
      bytesPerSecond: 0,
      counts: noJobs,
      running: running.shift() ?? [],
    }),
    'downloads.results': () => ({ files: 4, downloads: results.shift() ?? [] }),
    'downloads.cancel': () => ({ jobs: 3 }),
  })
  const report = createFetchReport(out, false)
  await followBatch(
    core,
    1,
    'desk',
    report,
    { ...out, progress: (state) => void shown.push(state) },
    AbortSignal.abort(),
  )
  expect(shown.map((state) => `${state.done} of ${state.total}: ${state.message}`)).toEqual([
    '1 of 4: 1 of 4 files, 0 B/s',
    '1 of 4: 1 of 4 files, 0 B/s',
  ])
})

test('the wait for cancelled transfers is bounded, here and where another process downloads', () => {
  let nowMs = 0
  const here = createSettlement(() => nowMs)
  const elsewhere = createSettlement(() => nowMs)
  const running = [{ id: 1, doneBytes: 0, totalBytes: null }]
  const isSettled = () => [here([1], { here: true, running }), elsewhere([1], { here: false, running: [] })]
  expect(isSettled()).toEqual([false, false])
  nowMs = 2000
  expect(isSettled()).toEqual([false, true])
  nowMs = 5000
  expect(isSettled()).toEqual([true, true])
})

test('a longer wait is announced once, with its end', () => {
  let nowMs = Date.UTC(2026, 8, 1)
  const notes: string[] = []
  const noteWait = createWaitNotes({ note: (text) => void notes.push(text) }, () => nowMs)
  const limitedFor = (ms: number) => noteWait({ sentence: 'The service is limiting.', until: nowMs + ms })
  limitedFor(2000)
  limitedFor(60_000)
  nowMs += 30_000
  limitedFor(60_000)
  expect(notes).toEqual(['The service is limiting. Waiting until 2026-09-01 00:01:00 UTC.'])
  nowMs += 30_000
  limitedFor(10_000)
  expect(notes).toHaveLength(2)
})

test('a batch that is only queued waits as long as the queue ends other files', async () => {
  let open = 0
  const waitsItsTurn = createTurnCheck(coreOf({ 'downloads.list': () => ({ total: open, downloads: [] }) }), 1)
  const after = (done: number, hasNoProgress = true) => waitsItsTurn({ counts: { ...noJobs, done } }, hasNoProgress)
  expect(await after(5, false)).toBe(false)
  expect(await after(9)).toBe(true)
  expect(await after(9)).toBe(false)
  open = 1
  expect(await after(12)).toBe(false)
})
