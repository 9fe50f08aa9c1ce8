import { expect, test } from 'vitest'
import { openPortfolioWorld } from '../portfolio/portfolioWorld.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'

const index = ['2026-07-27', '2026-07-28', '2026-07-29']

test('a replay names the answer of the service that changed since, and computes with the one of then too', async () => {
  let data = [0.01, -0.02, 0.015]
  const service = await fakeService((_, response) => sendJson(response, { index, columns: ['return'], data }))
  const { app, client, connectionId } = await openPortfolioWorld(service.url, Date.UTC(2026, 6, 30, 12), 'k')
  const reports = await app.reports()
  const { signal } = new AbortController()
  const query = {
    kind: 'tearsheet',
    ...{ portfolio: 'p.20', smoothing: null, exchange: null, benchmark: null, riskFree: 0 },
    ...{ rolling: null, start: null, end: null, returns: null },
  } as const
  const { html } = await reports.make({
    query,
    connectionId,
    baseFolder: '',
    note: '',
    provenance: 'brief',
    signal,
    who: 'cli',
  })
  const replay = () => reports.replay(html, { baseFolder: '', signal, who: 'cli' })
  expect(await replay()).toMatchObject({ differences: [], withFilesOfNow: null })

  const request = { endpoint: 'returns', portfolio: 'p.20' } as const
  await client.call('portfolio.history', { request, refresh: true })
  expect(await replay()).toMatchObject({ differences: [], withFilesOfNow: null })
  data = [0.01, -0.02, 0.016]
  await client.call('portfolio.history', { request, refresh: true })
  const asked = service.requests.length
  const replayed = await replay()
  expect(replayed).toMatchObject({ differences: [], sources: [{ state: 'changed' }] })
  expect(replayed.withFilesOfNow).toBeGreaterThan(1)
  expect(service.requests.length).toBe(asked)
})
