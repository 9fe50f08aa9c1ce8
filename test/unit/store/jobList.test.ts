import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import type { Job, JobState } from '#core/store/jobTable.ts'
import type { JobFilter } from '#core/store/jobList.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const symbols = [
  'perpetual-BTC-USDT:USDT',
  'perpetual-龙-USDT:USDT',
  'perpetual-100%_X-USDT:USDT',
  'perpetual-2026-USDT:USDT',
]
const datasets = ['flow', 'vtwap', 'basis']
const periods = ['2026-07', '2026-08-01', '2026-08-02', '2026-11-20']
const trouble = new AppError('service', 'flow service', {
  service: { message: 'too many 2026 requests', status: 429, requestId: null },
}).toShape()

/** Fills a store with open and ended jobs, some of which have errors. */
function filledStore() {
  const { jobs } = openTestStore()
  const all = symbols.flatMap((symbol) =>
    datasets.flatMap((dataset) =>
      periods.map((period) => ({ series: flowSeries({ symbol, dataset }), period, refresh: false })),
    ),
  )
  jobs.add(jobs.newBatch('test', 1), all, { priority: 0, nowMs: 1 })
  const ids = jobs.ids({}, 0, all.length)
  const every = (nth: number, modulus: number) => ids.filter((_, at) => at % modulus === nth)
  jobs.markRunning([...every(1, 7), ...every(2, 7), ...every(3, 7)])
  for (const id of every(1, 7)) jobs.markWaiting(id, trouble, 100)
  jobs.markEnded(
    every(2, 7).map((id) => ({ id, state: 'failed', outcome: null, error: trouble })),
    5,
  )
  jobs.markEnded(
    every(3, 7).map((id) => ({ id, state: 'done', outcome: 'downloaded', error: null })),
    6,
  )
  jobs.cancel(every(4, 7), 7)
  jobs.prioritise(every(5, 7), 3)
  return jobs
}

/** Tells whether a filter accepts a job, by the simplest rules. */
function isWanted({ states, text = '' }: JobFilter, { series, period, state, error }: Job): boolean {
  const { dataset, exchange, symbol, interval } = series
  const names = `${dataset} ${exchange} ${symbol} ${interval} ${period}`.toLowerCase()
  const terms = text.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean)
  const inError = (word: string) => error !== null && JSON.stringify(error).toLowerCase().includes(word)
  return (states?.includes(state) ?? true) && terms.every((word) => names.includes(word) || inError(word))
}

const word = fc.constantFrom(
  ...[
    'flow',
    'FLOW',
    'btc',
    '龙',
    '2026',
    '08-0',
    '-',
    '1',
    'too',
    'requests',
    '429',
    '%',
    '_x',
    'ｆｌｏｗ',
    '1h',
    'nothing',
    'venue',
  ],
)
const states = fc.subarray<JobState>(['queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled'])

test('a filter finds what its plain reading finds, in the same order, on every page', () => {
  const jobs = filledStore()
  const whole = jobs.list({}, 0, 1000).jobs
  expect(whole).toHaveLength(symbols.length * datasets.length * periods.length)
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 3 }),
      fc.option(states, { nil: undefined }),
      fc.nat(60),
      fc.integer({ min: 0, max: 60 }),
      (terms, wanted, offset, limit) => {
        const filter = { text: terms.join(' '), ...(wanted && { states: wanted }) }
        const expected = whole.filter((job) => isWanted(filter, job)).map(({ id }) => id)
        const { total, jobs: page } = jobs.list(filter, offset, limit)
        expect(total).toBe(expected.length)
        expect(page.map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit))
        expect(jobs.ids(filter, 0, 1000)).toEqual([...expected].sort((a, b) => a - b))
      },
    ),
    { numRuns: 300 },
  )
})

test('many that match stand in the same order as the whole list', () => {
  const { jobs } = openTestStore()
  const series = Array.from({ length: 60 }, (_, at) => flowSeries({ symbol: `perpetual-C${at}-USDT:USDT` }))
  const days = Array.from({ length: 100 }, (_, at) => new Date(Date.UTC(2026, 7, 1 + at)).toISOString().slice(0, 10))
  const all = days.flatMap((period) => series.map((each) => ({ series: each, period, refresh: false })))
  jobs.add(jobs.newBatch('test', 1), all, { priority: 0, nowMs: 1 })
  jobs.prioritise(jobs.ids({ text: 'c7' }, 0, 50), 2)
  const idsOf = (text: string) => jobs.list({ text }, 5900, 100).jobs.map(({ id }) => id)
  expect(jobs.list({ text: 'usdt' }, 0, 0).total).toBe(6000)
  expect(idsOf('usdt')).toEqual(idsOf(''))
})

test.each(['dataset', 'symbol', 'period', 'state', 'outcome', 'endedAt'] as const)(
  'what has ended is sorted by %s over all pages, missing values last in both directions',
  (key) => {
    const jobs = filledStore()
    const filter: JobFilter = { states: ['done', 'failed', 'cancelled'] }
    const valueOf = ({ series, period, state, outcome, endedAtMs }: Job) =>
      ({ dataset: series.dataset, symbol: series.symbol, period, state, outcome, endedAt: endedAtMs })[key]
    for (const descending of [false, true]) {
      const whole = jobs.list(filter, 0, 1000, { key, descending })
      const values = whole.jobs.map(valueOf)
      const present = values.filter((value) => value !== null)
      expect(values).toEqual([...present, ...values.filter((value) => value === null)])
      for (const [at, value] of present.entries()) {
        const before = present[at - 1]
        if (at > 0) expect(descending ? before! >= value! : before! <= value!).toBe(true)
      }
      const pages = [0, 4, 8, 12].flatMap((offset) => jobs.list(filter, offset, 4, { key, descending }).jobs)
      expect(pages.map(({ id }) => id)).toEqual(whole.jobs.slice(0, 16).map(({ id }) => id))
      expect(whole.total).toBe(whole.jobs.length)
    }
  },
)

test('lists chosen jobs wherever they stand, and those of them in given states', () => {
  const jobs = filledStore()
  const all = jobs.ids({}, 0, 100)
  const chosen = [all[2], all[3], all[6]]
  expect(
    jobs
      .list({ ids: chosen }, 0, 10)
      .jobs.map(({ id }) => id)
      .toSorted((a, b) => a - b),
  ).toEqual(chosen)
  expect(jobs.list({ ids: chosen }, 0, 10).total).toBe(3)
  expect(jobs.ids({ ids: chosen, states: ['queued'] }, 0, 10)).toEqual([all[6]])
})

test('groups failed jobs by reason, and finds those of one reason', () => {
  const jobs = filledStore()
  const failed = jobs.list({ states: ['failed'] }, 0, 100).jobs.map(({ id }) => id)
  expect(jobs.failureReasons()).toEqual([{ error: trouble, jobs: failed.length }])
  expect(jobs.ids({ states: ['failed'], errorCode: 'service' }, 0, 100).toSorted((a, b) => a - b)).toEqual(
    failed.toSorted((a, b) => a - b),
  )
  expect(jobs.ids({ states: ['failed'], errorCode: 'forbidden' }, 0, 100)).toEqual([])
})

test('sums up a batch in slices, whatever its jobs became', () => {
  const jobs = filledStore()
  const [{ id, label }] = jobs.latestBatches(5)
  expect(label).toBe('test')
  const sums: Record<string, number> = {}
  let last: number | null = 0
  while (last !== null) {
    const slice: ReturnType<typeof jobs.batchSlice> = jobs.batchSlice(id, last, 7)
    for (const { state, jobs: count } of slice.sums) sums[state] = (sums[state] ?? 0) + count
    last = slice.lastId
  }
  const counted = Object.entries(jobs.counts().now).filter(([, count]) => count > 0)
  expect(sums).toEqual(Object.fromEntries(counted))
})
