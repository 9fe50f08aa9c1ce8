import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { portfolioPaths } from '../../../../electron/sandbox/portfolio/answerPortfolio.ts'
import { portfolioText } from '../../../../electron/sandbox/portfolio/portfolioText.ts'
import { createService, type ErrorBody, type Parameters } from './service.ts'

const { answer } = createService()

const validParameters: Record<string, Parameters> = {
  '/portfolio/live-weights': { portfolio: 'momentum_ls.20' },
  '/portfolio/historical-weights': { portfolio: 'momentum_ls.20' },
  '/portfolio/factors': { id: 'carry', tickers: 'BTC,ETH' },
  '/portfolio/factors-live': { id: 'carry', tickers: 'BTC,ETH' },
  '/portfolio/tickers': { id: 'carry', universe_size: '20' },
  '/portfolio/universe': { size: '20' },
  '/portfolio/returns': { portfolio: 'momentum_ls.20' },
  '/portfolio/risk-overlay': { portfolio: 'momentum_ls', overlay: 'vol_target' },
  '/portfolio/risk-overlay-live': { portfolio: 'momentum_ls', overlay: 'vol_target' },
  '/risk-regime': { overlay: 'market_trend' },
  '/risk-regime-live': { overlay: 'market_trend' },
  '/price': { ticker: 'BTC' },
}

const pathsWithRange = portfolioPaths.filter((path) => !/live|tickers/.test(path))
const takesSmoothing = portfolioPaths.filter((path) => /weights|factors|returns/.test(path))
const takesExchange = portfolioPaths.filter((path) => /weights|returns|tickers|universe/.test(path))
const takesAsOf = portfolioPaths.filter((path) => /\/portfolio\/.*live/.test(path))

function refusal(path: string, changed: Parameters): { status: number; body: ErrorBody } {
  const { status, body } = answer(path, { ...validParameters[path], ...changed })
  expect(Object.keys(body)).toEqual(['error', 'code', 'details'])
  return { status, body: body as ErrorBody }
}

test('there are twelve endpoints, and each answers', () => {
  expect(portfolioPaths.toSorted()).toEqual(Object.keys(validParameters).sort())
  for (const path of portfolioPaths) expect(answer(path, validParameters[path]).status).toBe(200)
})

describe.each(portfolioPaths)('%s', (path) => {
  test.each(Object.keys(validParameters[path]))('needs %s', (name) => {
    for (const value of ['', '  ']) {
      expect(refusal(path, { [name]: value })).toMatchObject({
        status: 400,
        body: { code: 'missing_parameter', details: { parameter: name } },
      })
    }
  })

  test.each(Object.keys(validParameters[path]))('refuses an unknown %s', (name) => {
    const { status, body } = refusal(path, { [name]: 'no such thing' })
    expect(status).toBe(name.endsWith('size') ? 400 : 404)
    expect(body.error).toContain('no such thing')
  })
})

test.each(takesSmoothing)('%s knows six smoothings only', (path) => {
  for (const smoothing of ['0', '5', '10', '15', '20', '30']) {
    expect(answer(path, { ...validParameters[path], smoothing }).status).toBe(200)
  }
  for (const smoothing of ['1', '05', '25', '60', '-5', '5.0', 'none']) {
    expect(refusal(path, { smoothing })).toMatchObject({
      status: 400,
      body: { details: { parameter: 'smoothing', value: smoothing } },
    })
  }
})

test.each(takesExchange)('%s knows the short names of the venues', (path) => {
  for (const exchange of ['unconstrained', 'venuea', 'venueb', 'venuec']) {
    expect(answer(path, { ...validParameters[path], exchange }).status).toBe(200)
  }
  for (const exchange of ['venuea-futures', 'VENUEA', 'all']) expect(refusal(path, { exchange }).status).toBe(400)
})

test.each(pathsWithRange)('%s refuses what is no date', (path) => {
  for (const name of ['start_date', 'end_date']) {
    for (const value of ['2024-02-30', '2024-1-1', 'yesterday', '20240101']) {
      expect(refusal(path, { [name]: value })).toMatchObject({ status: 400, body: { details: { parameter: name } } })
    }
  }
})

test.each(takesAsOf)('%s refuses another as_of', (path) => {
  expect(refusal(path, { as_of: 'now' })).toMatchObject({ status: 400, body: { details: { parameter: 'as_of' } } })
})

test('parameters it does not know are ignored', () => {
  for (const path of portfolioPaths) {
    expect(answer(path, { ...validParameters[path], further: 'x' })).toEqual(answer(path, validParameters[path]))
  }
})

test('another path is not found', () => {
  for (const path of ['/', '/portfolio', '/portfolio/weights', '/price/', '/toString']) {
    expect(answer(path, {})).toMatchObject({ status: 404, body: { code: 'not_found' } })
  }
})

test('whatever is asked whenever, the answer is a body or a refusal', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('BTC,0G', '20', 'full', 'carry', 'momentum_ls.20', 'close', '2024-01-01'),
  )
  const parameters = fc.dictionary(
    fc.constantFrom('portfolio', 'id', 'tickers', 'ticker', 'overlay', 'smoothing', 'exchange', 'as_of', 'start_date'),
    text,
  )
  const service = createService()
  fc.assert(
    fc.property(fc.constantFrom(...portfolioPaths), parameters, (path, changed) => {
      expect([200, 400, 404]).toContain(service.answer(path, { ...validParameters[path], ...changed }).status)
    }),
    { numRuns: 300 },
  )
})

test.each([
  '2019-06-01T12:00:00Z',
  '2020-01-01T00:00:00Z',
  '2020-01-20T09:00:00Z',
  '2020-03-10T00:02:00Z',
  '2028-07-01T09:00:00Z',
])('at %s every endpoint answers, with nothing later than the clock', (now) => {
  for (const path of portfolioPaths) {
    const { status, body } = answer(path, validParameters[path], now)
    expect(status).toBe(200)
    if ('index' in body && Array.isArray(body.index))
      expect(body.index.every((day) => day < now.slice(0, 10))).toBe(true)
    if ('createdAt' in body && body.createdAt) expect(Date.parse(body.createdAt)).toBeLessThanOrEqual(Date.parse(now))
  }
})

test('missing values can be written as Python does', () => {
  const { body } = answer('/price', { ticker: 'BTC,0G', end_date: '2020-01-02' })
  expect(JSON.parse(portfolioText(body, false))).toEqual(body)
  expect(portfolioText(body, true)).toBe(portfolioText(body, false).replaceAll('null', 'NaN'))
  expect(portfolioText(body, true)).toContain(',NaN],[')
  expect(portfolioText({ data: null, index: '2020-01-01', createdAt: 'null' }, true)).toBe(
    '{"data":NaN,"index":"2020-01-01","createdAt":"null"}',
  )
})
