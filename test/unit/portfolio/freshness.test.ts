import { expect, test } from 'vitest'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { freshUntil } from '#shared/portfolio/freshness.ts'

const returns: PortfolioRequest = { endpoint: 'returns', portfolio: 'p.20' }
const latest: PortfolioRequest = { endpoint: 'weights', portfolio: 'p.20', asOf: 'latest' }
const close: PortfolioRequest = { endpoint: 'weights', portfolio: 'p.20' }
const regime: PortfolioRequest = { endpoint: 'regime-live', overlay: 'o' }

test.each([
  [returns, '2026-09-15T12:34:56Z', '2026-09-16T00:10:00Z'],
  [returns, '2026-09-15T00:03:00Z', '2026-09-15T00:10:00Z'],
  [returns, '2026-09-15T00:10:00Z', '2026-09-16T00:10:00Z'],
  [close, '2026-09-15T12:34:56Z', '2026-09-16T00:10:00Z'],
  [latest, '2026-09-15T12:34:56Z', '2026-09-15T13:05:00Z'],
  [latest, '2026-09-15T12:04:59Z', '2026-09-15T12:05:00Z'],
  [regime, '2026-09-15T23:05:00Z', '2026-09-16T00:05:00Z'],
])('%o fetched at %s says all there is until %s', (request, fetchedAt, until) => {
  expect(new Date(freshUntil(request, Date.parse(fetchedAt))).toISOString()).toBe(until.replace('Z', '.000Z'))
})

test.each([
  ['made in its hour', '2026-09-15T12:05:20Z', '2026-09-15T13:05:00Z'],
  ['late by one hour', '2026-09-15T11:05:20Z', '2026-09-15T12:39:56Z'],
  ['late by a day', '2026-09-14T12:05:20Z', '2026-09-15T12:39:56Z'],
])('a live answer %s, fetched at 12:34:56, is asked for again when there may be a newer one', (_, createdAt, until) => {
  const freshAt = freshUntil(latest, Date.parse('2026-09-15T12:34:56Z'), Date.parse(createdAt))
  expect(new Date(freshAt).toISOString()).toBe(until.replace('Z', '.000Z'))
})
