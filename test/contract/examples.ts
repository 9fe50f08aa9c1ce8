import { expect } from 'vitest'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import { defaultSettings } from '#shared/contract/areas/settings.ts'
import type { ErrorCode } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { World } from './world.ts'

export interface Example<Name extends CallName> {
  input: CallInput<Name>
  check(output: CallOutput<Name>): void
  /** Codes that are right too, where the host decides. */
  mayFail?: ErrorCode[]
}

const never = () => expect.unreachable('there is no service that could have answered')
const noKey = { set: false, ending: null, kept: null }
const desk = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null, builtIn: false }

/** One good input for every call. A call without one does not compile. */
export const examples: { [Name in CallName]: (world: World) => Example<Name> } = {
  'app.info': ({ dataDir }) => ({
    input: {},
    check: (info) => expect(info).toMatchObject({ version: '9.8.7', dataDir, notices: [] }),
  }),
  'app.check': () => ({
    input: {},
    check: (results) => {
      expect(results.map(({ name }) => name)).toEqual(['Data folder', 'Free space', 'Index', 'Keychain'])
      for (const { name, ok, words } of results) if (name !== 'Free space') expect(ok, `${name}: ${words}`).toBe(true)
    },
  }),
  'app.diagnostics': () => ({ input: {}, check: (text) => expect(text).toContain('Perpscope 9.8.7') }),
  'connections.list': () => ({
    input: {},
    check: (list) =>
      expect(list.map(({ name, active }) => [name, active])).toEqual([
        ['Sandbox', true],
        ['Desk', false],
      ]),
  }),
  'connections.add': () => ({
    input: { ...emptyFields, name: ' New ', metricsUrl: 'https://metrics.example/base', tier: 3 },
    check: (added) =>
      expect(added).toMatchObject({ name: 'New', metricsUrl: 'https://metrics.example/base', tier: 3, active: false }),
  }),
  'connections.edit': ({ connectionId }) => ({
    input: { id: connectionId, tier: 1 },
    check: (edited) => expect(edited).toMatchObject({ ...desk, tier: 1 }),
  }),
  'connections.use': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (used) => expect(used).toMatchObject({ ...desk, active: true, keys: { metrics: noKey, portfolio: noKey } }),
  }),
  'connections.remove': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (nothing) => expect(nothing).toBeNull(),
  }),
  'connections.test': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (results) => expect(results.map(({ outcome }) => outcome)).toEqual(['not-set', 'not-set', 'not-set']),
  }),
  'coverage.periods': ({ connectionId }) => ({
    input: {
      connectionId,
      kind: 'metrics',
      dataset: 'flow',
      exchange: 'venuea-futures',
      symbol: 'perpetual-龙-USDT:USDT',
      interval: '1h',
      timestamp: 'exchange',
      startDay: '2020-01-15',
      endDay: '2020-03-01',
    },
    check: ({ periods }) =>
      expect(periods).toEqual([
        { period: '2020-01', state: 'missing' },
        { period: '2020-02', state: 'missing' },
        { period: '2020-03', state: 'missing' },
      ]),
  }),
  'coverage.cachedShares': ({ connectionId }) => ({
    input: { connectionId },
    check: ({ rows, columns }) =>
      expect([rows, ...columns.map(({ name }) => name)]).toEqual([0, 'dataset', 'exchange', 'symbol', 'days']),
  }),
  'coverage.cachedSeries': ({ connectionId }) => ({
    input: { connectionId },
    check: ({ rows, columns }) => expect([rows, columns.at(-1)?.name]).toEqual([0, 'bytes']),
  }),
  'coverage.refusals': ({ connectionId }) => ({
    input: { connectionId },
    check: (refused) => expect(refused).toEqual([]),
  }),
  // The connection has no services: what they answer is tested against a service; here it is how a call fails.
  'discovery.catalog': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.symbols': ({ connectionId }) => ({
    input: { connectionId, exchange: 'venuea-futures' },
    check: never,
    mayFail: ['not-found'],
  }),
  'discovery.rawCatalog': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.coverage': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.searchSymbols': ({ connectionId }) => ({
    input: { connectionId, text: 'btc', limit: 5 },
    check: (found) => expect(found).toEqual([]),
  }),
  'files.pick': () => ({
    input: { kind: 'parquet' },
    check: ({ chosen }) => expect(chosen).toBe(0),
    mayFail: ['unsupported'],
  }),
  'files.received': () => ({ input: {}, check: (files) => expect(files).toEqual([]) }),
  'keys.set': ({ connectionId }) => ({
    input: { connectionId, service: 'metrics', key: 'abcdefgh-ijkl-wxyz' },
    check: (status) => expect(status).toMatchObject({ set: true, ending: 'wxyz' }),
  }),
  'keys.remove': ({ connectionId }) => ({
    input: { connectionId, service: 'portfolio' },
    check: (status) => expect(status).toEqual(noKey),
  }),
  'requests.list': () => ({
    input: { limit: 10 },
    check: (frame) => {
      expect(frame.columns.map(({ name }) => name)).toContain('address')
      expect(frame.columns[0].values).toBeInstanceOf(Float64Array)
    },
  }),
  'requests.clear': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'requests.export': () => ({
    input: {},
    check: (saved) => saved && expect(saved.name).toBe('requests.csv'),
    mayFail: ['unsupported'],
  }),
  'settings.read': () => ({ input: {}, check: (settings) => expect(settings).toEqual(defaultSettings) }),
  'settings.change': () => ({
    input: { theme: 'dark', zoom: 1.25 },
    check: (settings) => expect(settings).toEqual({ ...defaultSettings, theme: 'dark', zoom: 1.25 }),
  }),
  'vault.status': () => ({
    input: { probeAgain: true },
    check: (status) => expect(status.name).toBe('Test keychain'),
  }),
}

export const emptyFields = { name: 'New', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null }

const anySeries = { kind: 'raw', dataset: 'trades', exchange: 'venuea-futures', symbol: 'perpetual-A-B:C' }
const huge = 'x'.repeat(1_000_000)

/** Inputs of the right outline whose values no schema may let through. */
export const badValues: [name: CallName, input: unknown][] = [
  ['requests.list', { limit: NaN }],
  ['requests.list', { limit: Infinity }],
  ['requests.list', { limit: 1.5 }],
  ['requests.list', { limit: -1 }],
  ['requests.list', { limit: 1e9 }],
  ['requests.list', { limit: '10' }],
  ['settings.change', { zoom: NaN }],
  ['settings.change', { zoom: 100 }],
  ['settings.change', { theme: 'pink' }],
  ['settings.change', { downloadConcurrency: 1.5 }],
  ['settings.change', { downloadRateCapMb: -1 }],
  ['connections.add', { ...emptyFields, name: huge }],
  ['connections.add', { ...emptyFields, name: '   ' }],
  ['connections.add', { ...emptyFields, metricsUrl: 'http://metrics.example' }],
  ['connections.add', { ...emptyFields, metricsUrl: 'https://user:word@metrics.example' }],
  ['connections.add', { ...emptyFields, metricsUrl: 'https://metrics.example/?token=1' }],
  ['connections.add', { ...emptyFields, metricsUrl: 'javascript:alert(1)' }],
  ['connections.add', { ...emptyFields, portfolioUrl: 'file:///etc/hosts' }],
  ['connections.add', { ...emptyFields, catalogLocation: huge }],
  ['connections.add', { ...emptyFields, tier: 4 }],
  ['connections.use', { id: huge }],
  ['connections.use', { id: { toString: 1 } }],
  ['keys.set', { connectionId: 'sandbox', service: 'metrics', key: huge }],
  ['keys.set', { connectionId: 'sandbox', service: 'metrics', key: 'two\nlines' }],
  ['keys.set', { connectionId: 'sandbox', service: 'metrics', key: '' }],
  ['keys.set', { connectionId: 'sandbox', service: 'everything', key: 'k' }],
  ['coverage.periods', { ...anySeries, startDay: '2026-02-30', endDay: '2026-03-01' }],
  ['coverage.periods', { ...anySeries, startDay: '2026-03-02', endDay: '2026-03-01' }],
  ['coverage.periods', { ...anySeries, symbol: huge, startDay: '2026-03-01', endDay: '2026-03-01' }],
  ['discovery.symbols', { exchange: '' }],
  ['discovery.searchSymbols', { text: 'x', limit: 0 }],
  ['files.pick', { kind: '../../etc' }],
  ['vault.status', {}],
]
