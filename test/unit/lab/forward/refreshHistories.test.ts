import { refreshHistories } from '#core/lab/forward/refreshHistories.ts'
import { sourceHistories } from '#core/lab/sourceHistories.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { expect, it } from 'vitest'

it('fetches the latest days of what recorded runs read, goes on after a failure, and asks for nothing new', async () => {
  const requests = sourceHistories({
    universe: { size: 20, exchange: 'unconstrained' },
    exposureBy: { portfolio: null, overlay: 'market_risk', scale: 'value' },
    by: { regime: { overlay: 'market_trend' } },
  } as never)
  expect(requests).toEqual([
    { endpoint: 'universe', size: '20', exchange: 'unconstrained' },
    { endpoint: 'regime', overlay: 'market_risk' },
    { endpoint: 'regime', overlay: 'market_trend' },
  ])
  const asked: unknown[] = []
  const portfolio = {
    // The last one was never read here.
    find: (request: unknown) => (request === requests[2] ? undefined : { range: { start: 0, end: 90 } }),
    history(request: unknown, range: unknown) {
      asked.push([request, range])
      return Promise.reject(new Error('the service is away'))
    },
  }
  const clock = { nowMs: () => 100 * MS_PER_DAY + 1 }
  const { signal } = new AbortController()
  await refreshHistories({ openPortfolio: () => portfolio as never, clock }, requests, signal)
  expect(asked).toEqual([
    [requests[0], { start: 40, end: 100 }],
    [requests[1], { start: 40, end: 100 }],
  ])
})
