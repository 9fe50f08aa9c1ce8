import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { cellOf, columnOf, numberColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import ExplainView from '../../renderer/views/portfolios/explain/ExplainView.vue'
import { scaledTable } from '../../renderer/views/portfolios/explain/explainFrames.ts'
import WeightsView from '../../renderer/views/portfolios/weights/WeightsView.vue'
import { mountWithHost } from './mountWithHost.ts'

const DAY = 86_400_000
const first = Date.UTC(2026, 0, 1)
const freshness: PortfolioFreshness = {
  fetchedAt: first,
  source: 'https://portfolio.example.com',
  asked: true,
  dataEndsAt: null,
  problems: [],
  trouble: null,
}
const byDay = (columns: Record<string, (number | null)[]>): Frame => {
  const rows = Math.max(0, ...Object.values(columns).map(({ length }) => length))
  const times = Array.from({ length: rows }, (_, at) => first + at * DAY)
  return {
    rows,
    columns: [timeColumn('time', times), ...Object.entries(columns).map(([name, cells]) => numberColumn(name, cells))],
  }
}

type Histories = Partial<Record<'returns' | 'history' | 'prices' | 'overlay', Frame>>

async function open(query: string, frames: Histories) {
  const mounted = await mountWithHost(ExplainView, {}, (host) => {
    host.answer('portfolio.usedIds', () => [])
    host.answer('portfolio.history', ({ request }) => ({
      rows: frames[request.endpoint as keyof Histories] ?? byDay({}),
      freshness,
    }))
  })
  await mounted.router.push(`/portfolios/explain?${query}`)
  await flushPromises()
  const stats = () =>
    Object.fromEntries(
      mounted.wrapper.findAll('.stat').map((stat) => [stat.find('.name').text(), stat.find('.value').text()]),
    )
  return { ...mounted, stats, text: () => mounted.wrapper.text() }
}

// Day 2 returns 0.5·10 % − 0.5·(−10 %) = 10 %, less 5 bps of a turnover of 0.2; the return of the service is 1 bp
// higher.
const frames: Histories = {
  history: byDay({ A: [0.5, 0.4], B: [-0.5, -0.4] }),
  prices: byDay({ A: [100, 110], B: [100, 90] }),
  returns: byDay({ returns: [null, 0.1 - 0.0001 + 0.0001] }),
}

describe('the page that explains returns', () => {
  it('says in a sentence that nothing can be explained, in place of empty charts', async () => {
    const one = { history: byDay({ A: [1] }), prices: byDay({ A: [100] }), returns: byDay({ returns: [0.1] }) }
    const { text } = await open('portfolio=a.20', one)
    expect(text()).toContain('No day in this range can be explained')
    expect(text()).not.toContain('Largest and smallest contributions')
  })

  it('asks for the prices of what was held, and says what the residual is', async () => {
    const { stats, host } = await open('portfolio=a.20', frames)
    const prices = host.calls.map(([, input]) => JSON.stringify(input)).find((input) => input.includes('"prices"'))
    expect(prices).toContain('"ticker":["A","B"]')
    expect(stats()).toMatchObject({ 'Days explained': '1', Served: '10.00%', Explained: '9.99%' })
    expect(stats()['Mean residual']).toMatch(/^1\.0+bps$/)
  })

  it('accepts another cost, and says when the text is not a cost', async () => {
    expect((await open('portfolio=a.20&cost=0', frames)).stats()['Mean residual']).not.toMatch(/^1\.0+bps$/)
    expect((await open('portfolio=a.20&cost=much', frames)).text()).toContain('Enter a cost from 0 to 10')
  })

  it('puts returns without and with an overlay beside each other', async () => {
    const overlay = byDay({ overlay: [0.5, 1] })
    const { text } = await open('portfolio=a.20&overlay=o&scaled=1', { ...frames, overlay })
    expect(text()).toContain('Without and with o')
    expect(text()).toContain('Weights on 2026-01-02 without and with o')
  })

  it.each([
    ['no price at all', { ...frames, prices: byDay({}) }],
    ['no weight at all', { ...frames, history: byDay({ A: [null, null] }) }],
    ['one day', { history: byDay({ A: [1] }), prices: byDay({ A: [1] }), returns: byDay({ returns: [0.1] }) }],
    ['prices of 0 and null', { ...frames, prices: byDay({ A: [0, 1], B: [null, 1] }) }],
    ['an overlay without a value', { ...frames, overlay: byDay({ overlay: [null, null] }) }],
  ])('%s: words or numbers, never NaN', async (_what, odd) => {
    const { text } = await open('portfolio=a.20&overlay=o&scaled=1', odd)
    expect(text()).not.toMatch(/NaN|not a number|infinity|undefined/)
  })

  it('scales the last day’s weights by the overlay of that day', () => {
    const plain = {
      days: Int32Array.of(1),
      tickers: ['A', 'B'],
      values: Float64Array.of(0.5, 0),
      valid: Uint8Array.of(1, 1),
    }
    const scaled = { ...plain, values: Float64Array.of(0.25, 0) }
    const { frame } = scaledTable(plain, scaled)
    expect(frame.rows).toBe(1)
    expect(cellOf(columnOf(frame, 'scaled')!, 0)).toBe(0.25)
  })
})

it('shows weights of 400 tickers over 6 years like smaller ones', async () => {
  const days = 6 * 365
  const tickers = Array.from({ length: 400 }, (_, at) => `T${at}`)
  const cells = (at: number) =>
    Array.from({ length: days }, (_, day) => (day < at * 5 ? null : Math.sin(day + at) / 400))
  const wide = byDay(Object.fromEntries(tickers.map((ticker, at) => [ticker, cells(at)])))
  const { wrapper, router } = await mountWithHost(WeightsView, {}, (host) => {
    host.answer('portfolio.usedIds', () => [])
    host.answer('portfolio.history', () => ({ rows: wide, freshness }))
    host.answer('portfolio.snapshots', () => [])
  })
  await router.push('/portfolios/weights?portfolio=wide&look=heat')
  await flushPromises()
  await vi.waitUntil(() => wrapper.find('.heat-map').exists(), { timeout: 20_000 })
  expect(wrapper.find('.heat-map').attributes('aria-label')).toMatch(/^Weights of 400 tickers over 2.190 days, /)
  expect(wrapper.text()).not.toMatch(/NaN|not a number|infinity|undefined/)
})
