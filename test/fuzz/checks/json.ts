import { isDeepStrictEqual } from 'node:util'
import type { HttpClient } from '#core/clients/http.ts'
import { createJsonMeter } from '#core/clients/jsonLimits.ts'
import { createMetricsService } from '#core/clients/metricsService.ts'
import { readJson } from '#core/clients/parseResponse.ts'
import { createPortfolioService } from '#core/clients/portfolioService.ts'
import { readRawCatalog } from '#core/clients/rawCatalog.ts'
import type { ServiceRequest } from '#core/clients/serviceRequest.ts'
import { coverageRows, readCatalogDocument } from '#core/discovery/rawCatalogDocument.ts'
import { AppError } from '#shared/contract/errors.ts'
import { packedJson } from '../../fakes/packedJson.ts'
import { allowing, bytesOf, type Check, textOf } from '../check.ts'

const address = 'https://service.example/api/v1/x'
const { signal } = new AbortController()
const CHUNK_BYTES = 1000

/** Reads an answer as the clients of the services read it: its bytes, its JSON and every shape that it may have. */
export const check: Check = {
  seeds: () => honestAnswers.map((value) => bytesOf(JSON.stringify(value))),
  isJson: true,
  tokens: [
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\"',
    '\\u0000',
    '\\ud83d',
    ',',
    ':',
    'NaN',
    '-Infinity',
    '1e999',
    'null',
    '-0',
    '""',
  ],
  async read(bytes) {
    const plain = allowing([AppError], () => {
      const meter = createJsonMeter(address)
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) meter.add(bytes.subarray(at, at + CHUNK_BYTES))
      return { value: readJson(bytes, address) }
    })
    if (!plain) return null
    const expected = allowing([SyntaxError], () => ({ value: JSON.parse(textOf(bytes)) as unknown }))
    if (expected && !isDeepStrictEqual(plain, expected)) return 'is read as something else than it says'
    await readShapes(plain.value, packedJson(bytes, address, CHUNK_BYTES))
    return null
  },
}

async function readShapes(value: unknown, packed: unknown): Promise<void> {
  const metrics = createMetricsService(answering(value))
  const portfolio = createPortfolioService(answering(packed))
  const query = { dataset: 'flow', exchange: 'v', symbol: 's', startDay: '2026-08-01', endDay: '2026-08-02' }
  await refusedOrRead(metrics.catalog(signal))
  await refusedOrRead(metrics.symbols('v', signal))
  await refusedOrRead(metrics.files({ ...query, interval: '1m', timestamp: 'exchange' }, signal))
  await refusedOrRead(metrics.rawFiles(query, signal))
  const request = { endpoint: 'weights', mode: 'history', portfolio: 'p', exchange: 'unconstrained', asOf: 'close' }
  const days = { start: null, end: null }
  await refusedOrRead(portfolio.history(request as never, days, signal))
  await refusedOrRead(portfolio.history({ ...request, endpoint: 'returns' } as never, days, signal))
  await refusedOrRead(portfolio.snapshot(request as never, signal))
  await refusedOrRead(readCatalog(value))
  coverageRows(value)
}

async function readCatalog(value: unknown): Promise<void> {
  const http = { json: () => Promise.resolve({ value }) } as unknown as HttpClient
  const { coverage, ...catalog } = await readRawCatalog(http, address, signal)
  readCatalogDocument(catalog)
  coverageRows(coverage?.datasets)
}

const answering =
  (value: unknown): ServiceRequest =>
  () =>
    Promise.resolve({ value } as Awaited<ReturnType<ServiceRequest>>)

async function refusedOrRead(reading: Promise<unknown>): Promise<void> {
  try {
    await reading
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
  }
}

const honestAnswers: readonly unknown[] = [
  { metrics: [{ id: 'flow', name: 'Flow', category: 'trades', fields: [{ name: 'buy_volume', label: 'Buy' }] }] },
  { symbols: ['perpetual-BTC-USDT:USDT', '龙-USDT'] },
  {
    files: [
      { year: 2026, month: 8, day: 1, url: 'https://storage.example/a?signature=b' },
      { year: 2026, month: 7, url: 'x' },
    ],
  },
  {
    data: [
      [0.5, null],
      [0.25, 0.75],
    ],
    index: ['2026-08-01', '2026-08-02T00:00:00Z'],
    columns: ['BTC', 'ETH'],
  },
  { data: [0.01, -0.02, null], index: ['2026-08-01', '2026-08-02', '2026-08-03'] },
  { data: [0.5, 0.5], index: '2026-08-01', createdAt: '2026-08-01T12:00:00.123456Z', columns: ['BTC', 'ETH'] },
  {
    schema_version: 1,
    daily_files_from: '2026-08-01',
    preview: { period: '2026-07', symbols: { v: 's' } },
    datasets: [{ id: 'trades', exchanges: ['v'], columns: [{ name: 'price', type: 'double', nullable: false }] }],
    summary: [{ dataset: 'trades', exchange: 'v', symbols: 3, first: '2020-01-01', last: '2026-08-01' }],
    coverage: { datasets: { trades: { v: { s: { first: '2020-01-01', last: '2026-08-01', days: 2000 } } } } },
  },
  { trades: { v: { s: { first: '2020-01-01', last: '2026-08-01', days: 2000 } } } },
]
