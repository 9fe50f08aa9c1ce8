import { expect } from 'vitest'
import type { CallName } from '#shared/contract/names.ts'
import type { Example } from './examples.ts'
import type { World } from './world.ts'

type RawName = Extract<CallName, `raw.${string}`>

const never = () => expect.unreachable('there are no raw events that could have been read')
const btc = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const tradesOfADay = { dataset: 'trades', ...btc, startDay: 20_000, endDay: 20_001 }
const startMs = Date.UTC(2026, 7, 1)
const flowOfADay = {
  ...btc,
  dataset: 'flow',
  interval: '1m',
  timestamp: 'exchange',
  startMs,
  endMs: startMs + 1000,
} as const

/** One valid input for every call on raw events. */
export const rawExamples: { [Name in RawName]: (world: World) => Example<Name> } = {
  'raw.inspect': () => ({ input: {}, check: (found) => expect(found).toEqual({ files: [], others: 0 }) }),
  'raw.importReceived': () => ({ input: {}, check: (found) => expect(found).toEqual({ files: [], others: 0 }) }),
  'raw.import': ({ connectionId }) => ({
    input: { connectionId, files: [{ id: 'gone', ...btc }] },
    check: ({ files }) => expect(files).toMatchObject([{ id: 'gone', state: 'failed', error: { code: 'not-found' } }]),
  }),
  'raw.metricFiles': ({ connectionId }) => ({
    input: { connectionId, folder: '/nowhere' },
    check: never,
    mayFail: ['not-found', 'unsupported'],
  }),
  'raw.importMetrics': ({ connectionId }) => ({
    input: { connectionId, folder: '/nowhere' },
    check: never,
    mayFail: ['not-found', 'unsupported'],
  }),
  'raw.dismiss': () => ({ input: { ids: ['gone'] }, check: (nothing) => expect(nothing).toBeNull() }),
  'raw.files': ({ connectionId }) => ({
    input: { connectionId, ...btc },
    check: ({ files }) => expect(files).toEqual([]),
  }),
  'raw.computed': ({ connectionId }) => ({
    input: { connectionId, ...btc },
    check: ({ series }) => expect(series).toEqual([]),
  }),
  'raw.rows': ({ connectionId }) => ({
    input: {
      connectionId,
      ...tradesOfADay,
      filters: [
        { key: 'side', oneOf: ['buy'] },
        { key: 'price', from: 1 },
      ],
      offset: 0,
      limit: 10,
    },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.seek': ({ connectionId }) => ({
    input: { connectionId, ...tradesOfADay, timestamp: 'true', timeMs: startMs },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.latency': ({ connectionId }) => ({
    input: { connectionId, dataset: 'trades', ...btc, period: '2026-08-01' },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.conditions': ({ connectionId }) => ({
    input: { connectionId, ...tradesOfADay },
    check: ({ files }) => expect(files).toEqual([]),
  }),
  'raw.compute': ({ connectionId }) => ({
    input: {
      connectionId,
      datasets: ['flow'],
      ...btc,
      interval: '90m',
      timestamp: 'exchange',
      startDay: 20_000,
      endDay: 20_001,
    },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.computeOnEngine': ({ connectionId }) => ({
    input: {
      connectionId,
      datasets: ['flow'],
      pairs: [btc],
      interval: '90m',
      timestamp: 'exchange',
      startDay: 20_000,
      endDay: 20_001,
      raw: { kind: 'database', name: 'raw' },
      out: null,
      parallel: 1,
    },
    check: never,
    mayFail: ['unsupported'],
  }),
  'raw.reconcileEngines': ({ connectionId }) => ({
    input: {
      connectionId,
      engines: ['local', 'duckdb'],
      datasets: ['flow'],
      pairs: [btc],
      interval: '90m',
      timestamp: 'exchange',
      startDay: 20_000,
      endDay: 20_001,
      raw: null,
      sample: 1,
    },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.engineChecks': ({ connectionId }) => ({
    input: { connectionId },
    check: ({ checks }) => expect(checks).toEqual([]),
  }),
  'raw.engineInstruments': ({ connectionId }) => ({
    input: { connectionId, raw: { kind: 'database', name: 'raw' } },
    check: never,
    mayFail: ['unsupported'],
  }),
  'raw.reconcile': ({ connectionId }) => ({
    input: { connectionId, ...flowOfADay },
    check: never,
    mayFail: ['not-here'],
  }),
  'raw.exportReconciliation': ({ connectionId }) => ({
    input: { connectionId, ...flowOfADay, format: 'csv' },
    check: never,
    mayFail: ['not-here'],
  }),
}
