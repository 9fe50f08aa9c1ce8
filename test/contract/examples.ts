import { expect } from 'vitest'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import type { ErrorCode } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import { rawExamples } from './rawExamples.ts'
import type { World } from './world.ts'

export interface Example<Name extends CallName> {
  input: CallInput<Name>
  check(output: CallOutput<Name>): void
  /** Error codes that are also correct, where the result depends on the host. */
  mayFail?: ErrorCode[]
}

const never = () => expect.unreachable('there is no service that could have answered')
const noKey = { set: false, ending: null, kept: null }
const noFiles = { files: 0, sizeBytes: 0 }
const cleanReport = { ...noFiles, broken: 0, repaired: 0, takenIn: 0, harmless: 0, problems: [], more: 0 }
export const venueFlow = { dataset: 'flow', exchange: 'venuea-futures', interval: '1m', timestamp: 'exchange' } as const
export const flowSeries = { ...venueFlow, symbol: 'perpetual-BTC-USDT:USDT' } as const
export const dayRange = { startMs: Date.UTC(2026, 7, 1), endMs: Date.UTC(2026, 7, 2) }
export const flowOfADay = { ...flowSeries, ...dayRange }
const labExample = {
  version: 1 as const,
  study: { version: 1, kind: 'signal', interval: '1h', signal: 'momentum' },
  panel: { path: '/nowhere/panel.csv', against: null },
}
const boardExample = {
  version: 1 as const,
  parts: [{ id: 'p1', columns: 4, rows: 2, content: { kind: 'text' as const, markdown: '# Today' } }],
}
const queryExample = { version: 1 as const, sql: 'SELECT 1', parameters: {} }
const desk = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null, builtIn: false }

const finding = {
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  kind: 'spike' as const,
  column: 'close',
  from: 0,
  to: 60_000,
}

/** One valid input for every call. A call without an example does not compile. */
export const examples: { [Name in CallName]: (world: World) => Example<Name> } = {
  'app.info': ({ dataDir }) => ({
    input: {},
    check: (info) => expect(info).toMatchObject({ version: '9.8.7', dataDir, notices: [] }),
  }),
  'app.openPane': () => ({ input: { workspace: 'w', pane: 'p' }, check: never, mayFail: ['unsupported'] }),
  'app.shown': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'app.check': () => ({
    input: {},
    check: (results) => {
      expect(results.map(({ name }) => name)).toEqual(['Data folder', 'Free space', 'Index', 'Keychain'])
      for (const { name, ok, message } of results)
        if (name !== 'Free space') expect(ok, `${name}: ${message}`).toBe(true)
    },
  }),
  'app.crashes': () => ({ input: {}, check: (reports) => expect(reports).toEqual([]) }),
  'app.removeCrashes': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'app.backup': () => ({ input: {}, check: (saved) => expect(saved === null || saved.items.ledger === 0).toBe(true) }),
  'app.restore': () => ({ input: { file: 'nobody', replace: false }, check: never, mayFail: ['not-found'] }),
  'app.cancelRestore': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'app.diagnostics': () => ({ input: {}, check: (text) => expect(text).toContain('Perpscope 9.8.7') }),
  'book.plan': () => ({
    input: {
      weights: { file: 'w.csv', text: 'ticker,weight\nA,0.5\n' },
      capital: 1000,
      prices: { file: 'p.csv', text: 'ticker,price\nA,10\n' },
      costBps: 5,
    },
    check: ({ rows, totals, pricesAsOf }) => {
      expect(rows).toMatchObject([{ symbol: 'A', order: 50, notional: 500, after: 0.5, cost: 0.25, reason: null }])
      expect([totals.orders, totals.turnover, pricesAsOf]).toEqual([1, 0.25, null])
    },
  }),
  'book.correlations': ({ connectionId }) => ({
    input: { connectionId, series: ['own:nothing', 'own:neither'] },
    check: never,
    mayFail: ['not-found'],
  }),
  'book.attribution': ({ connectionId }) => ({
    input: { connectionId, series: 'own:nothing', on: ['own:neither'] },
    check: never,
    mayFail: ['not-found'],
  }),
  'book.pair': ({ connectionId }) => ({
    input: { connectionId, one: 'own:nothing', other: 'own:neither' },
    check: never,
    mayFail: ['not-found'],
  }),
  'book.orderRules': () => ({ input: {}, check: (rules) => expect(rules).toEqual([]) }),
  'book.setOrderRule': () => ({ input: { symbol: 'BTC', lot: 0.001 }, check: (nothing) => expect(nothing).toBeNull() }),
  'book.ownFiles': () => ({ input: {}, check: (files) => expect(files).toEqual([]) }),
  'book.addOwn': () => ({
    input: { name: 'desk', file: { file: 'desk.csv', text: 'date,ticker,price\n2026-01-01,A,1\n' } },
    check: (added) => expect(added).toEqual({ name: 'desk', kind: 'prices' }),
  }),
  'book.removeOwn': () => ({ input: { name: 'nothing' }, check: never, mayFail: ['not-found'] }),
  'book.saveWeights': () => ({
    input: { from: 'blend:0123456789ab', name: 'mine' },
    check: never,
    mayFail: ['not-found'],
  }),
  'cache.list': ({ connectionId }) => ({
    input: { connectionId, datasets: ['flow'], startDay: 20_000, endDay: 20_001 },
    check: (listed) => expect(listed).toEqual({ files: [], total: noFiles }),
  }),
  'cache.pin': ({ connectionId }) => ({
    input: { connectionId, symbols: ['perpetual-BTC-USDT:USDT'], pinned: true },
    check: (pinned) => expect(pinned).toEqual({ files: 0 }),
  }),
  'cache.place': ({ dataDir }) => ({
    input: {},
    check: (place) => expect(place).toMatchObject({ path: expect.stringContaining(dataDir), isMoved: false }),
  }),
  'cache.relocate': () => ({
    input: { target: 'not-a-whole-path' },
    check: never,
    mayFail: ['bad-input'],
  }),
  'cache.prune': () => ({
    input: { maxBytes: 0 },
    check: (removed) => expect(removed).toEqual({ ...noFiles, left: noFiles }),
  }),
  'cache.prunePreview': () => ({
    input: { maxBytes: 1e9 },
    check: (going) => expect(going).toEqual({ ...noFiles, first: [] }),
  }),
  'cache.removeConnectionData': ({ connectionId }) => ({
    input: { connectionId },
    check: (removed) => expect(removed).toEqual(noFiles),
  }),
  'cache.remove': ({ connectionId }) => ({
    input: {
      connectionId,
      symbols: ['perpetual-ETH-USDT:USDT'],
      origins: ['import'],
      startDay: 20_000,
      endDay: 20_001,
    },
    check: (removed) => expect(removed).toEqual(noFiles),
  }),
  'cache.removePreview': ({ connectionId }) => ({
    input: { connectionId, datasets: ['flow'] },
    check: (going) => expect(going).toEqual(noFiles),
  }),
  'cache.repair': () => ({ input: {}, check: (report) => expect(report).toEqual(cleanReport) }),
  'cache.usage': () => ({
    input: { by: 'dataset' },
    check: (usage) => expect(usage).toEqual({ rows: [], total: noFiles }),
  }),
  'cache.verify': ({ connectionId }) => ({
    input: { connectionId },
    check: (report) => expect(report).toEqual(cleanReport),
  }),
  'connections.list': () => ({
    input: {},
    check: (list) =>
      expect(list.map(({ name, active }) => [name, active])).toEqual([
        ['Sandbox', true],
        ['Desk', false],
      ]),
  }),
  'connections.names': () => ({
    input: {},
    check: (list) =>
      expect(list).toEqual([
        { id: expect.any(String), name: 'Sandbox', active: true, builtIn: true },
        { id: expect.any(String), name: 'Desk', active: false, builtIn: false },
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
  'connections.venues': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (venues) => expect(venues.map(({ basis }) => basis.id)).toContain('documents'),
  }),
  'connections.servedUnits': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (units) => expect(units).toEqual([]),
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
  'connections.engine': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (engine) => expect(engine).toBeNull(),
  }),
  'connections.setEngine': ({ connectionId }) => ({
    input: { id: connectionId, server: clickHouse },
    check: (engine) => expect(engine).toEqual({ ...clickHouse, password: noKey }),
  }),
  'connections.removeEngine': ({ connectionId }) => ({
    input: { id: connectionId },
    check: (nothing) => expect(nothing).toBeNull(),
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
  'coverage.cachedGaps': ({ connectionId }) => ({
    input: { connectionId },
    check: (frame) => expect(frame.rows).toBe(0),
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
  // The connection has no services, so these calls fail here; their answers are tested against a service elsewhere.
  'discovery.catalog': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.symbols': ({ connectionId }) => ({
    input: { connectionId, exchange: 'venuea-futures' },
    check: never,
    mayFail: ['not-found'],
  }),
  'discovery.rawCatalog': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.coverage': ({ connectionId }) => ({ input: { connectionId }, check: never, mayFail: ['not-found'] }),
  'discovery.dataUntil': ({ connectionId }) => ({
    input: { connectionId },
    check: (untilMs) => expect(untilMs).toBeNull(),
  }),
  'discovery.searchSymbols': ({ connectionId }) => ({
    input: { connectionId, text: 'btc', limit: 5 },
    check: (found) => expect(found).toEqual([]),
  }),
  'downloads.preview': ({ connectionId }) => ({
    input: { request: augustRequest(connectionId) },
    check: (preview) =>
      expect(preview).toMatchObject({
        files: { cached: 0, missing: 3 },
        toFetch: 3,
        withoutSize: 0,
        firstPeriod: '2026-07',
        lastPeriod: '2026-08-02',
      }),
  }),
  'downloads.publish': ({ connectionId }) => ({
    input: { request: augustRequest(connectionId) },
    check: never,
    mayFail: ['unsupported'],
  }),
  'downloads.publishTarget': ({ connectionId }) => ({
    input: { connectionId },
    check: never,
    mayFail: ['unsupported'],
  }),
  'downloads.plan': ({ connectionId }) => ({
    input: { request: augustRequest(connectionId) },
    check: (frame) => {
      expect(frame.rows).toBe(3)
      expect(columnOf(frame, 'period')).toMatchObject({ dictionary: ['2026-07', '2026-08-01', '2026-08-02'] })
    },
  }),
  'downloads.enqueue': ({ connectionId }) => ({
    input: { request: augustRequest(connectionId), label: 'August', priority: 1 },
    check: (enqueued) => expect(enqueued).toMatchObject({ files: 3, added: 3 }),
  }),
  'downloads.sets': ({ connectionId }) => ({ input: { connectionId }, check: (sets) => expect(sets).toEqual([]) }),
  'downloads.saveSet': ({ connectionId }) => ({
    input: { set: { ...augustSet(connectionId), start: { lastDays: 7 } } },
    check: (set) => expect(set).toMatchObject({ name: 'August', intervals: ['1m'], enqueuedAt: null }),
  }),
  'downloads.removeSet': ({ connectionId }) => ({
    input: { connectionId, name: 'nobody' },
    check: never,
    mayFail: ['not-found'],
  }),
  'downloads.enqueueSet': ({ connectionId }) => ({
    input: { connectionId, name: 'nobody' },
    check: never,
    mayFail: ['not-found'],
  }),
  'downloads.list': () => ({
    input: { filter: { states: ['queued'], text: 'flow' }, offset: 0, limit: 10 },
    check: (list) => expect(list).toEqual({ total: 0, downloads: [] }),
  }),
  'downloads.idsIn': () => ({
    input: { ids: [1, 2], states: ['queued'] },
    check: (found) => expect(found).toEqual({ ids: [] }),
  }),
  'downloads.requests': () => ({ input: { limit: 5 }, check: (requests) => expect(requests).toEqual([]) }),
  'downloads.failures': () => ({ input: {}, check: (reasons) => expect(reasons).toEqual([]) }),
  'downloads.progress': () => ({
    input: {},
    check: (progress) => expect(progress).toMatchObject({ counts: { queued: 0 }, running: [], holds: [], here: false }),
  }),
  'downloads.results': () => ({
    input: { batchId: 1, after: null, limit: 10 },
    check: (results) => expect(results).toEqual({ downloads: [], files: 0 }),
  }),
  'downloads.pause': () => ({ input: { which: { ids: [1] } }, check: expectNoJobs }),
  'downloads.resume': () => ({ input: { which: { filter: {} } }, check: expectNoJobs }),
  'downloads.cancel': () => ({ input: { which: { filter: { text: 'flow' } } }, check: expectNoJobs }),
  'downloads.retry': () => ({ input: { which: { filter: { states: ['failed'] } } }, check: expectNoJobs }),
  'downloads.prioritise': () => ({ input: { which: { filter: {} }, priority: 5 }, check: expectNoJobs }),
  'downloads.reorder': () => ({ input: { ids: [1], beforeId: null }, check: ({ jobs }) => expect(jobs).toBe(1) }),
  'downloads.forgetEnded': () => ({ input: {}, check: expectNoJobs }),
  'files.pick': () => ({
    input: { kind: 'parquet' },
    check: ({ chosen }) => expect(chosen).toBe(0),
    mayFail: ['unsupported'],
  }),
  'files.pickFolder': () => ({ input: {}, check: never, mayFail: ['unsupported'] }),
  'files.reveal': () => ({
    input: { path: '/nowhere/returns.csv' },
    check: never,
    mayFail: ['unsupported', 'not-found'],
  }),
  'files.recognise': () => ({ input: { file: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'files.received': () => ({ input: {}, check: (files) => expect(files).toEqual([]) }),
  'instruments.import': () => ({
    input: { text: 'exchange,symbol,contract_size\nvenueb-perps,perpetual-BTC-USDT:USDT,0.001\n' },
    check: (answer) => expect(answer).toEqual({ imported: 1, warnings: [] }),
  }),
  'funding.defaults': () => ({ input: {}, check: (all) => expect(all).toEqual([]) }),
  'funding.list': () => ({
    input: { connectionId: '' },
    check: (found) => expect(found).toEqual({ periods: [], conflicts: [] }),
  }),
  'funding.setDefault': () => ({
    input: { exchange: 'alpha-futures', symbol: null, every: 'unknown' },
    check: (nothing) => expect(nothing).toBeNull(),
  }),
  'report.save': () => ({
    input: { connectionId: '', query: { kind: 'sql', sql: 'SELECT 1 AS a', parameters: {} } },
    check: (saved) => expect(saved).toMatchObject({ name: 'SQL result.html', sources: 0 }),
  }),
  'watch.rows': () => ({
    input: { connectionId: '' },
    check: ({ rows }) => expect(rows).toEqual([]),
  }),
  'quality.check': () => ({
    input: { connectionId: '' },
    check: (report) => expect(report).toMatchObject({ findings: [], more: 0, unread: [] }),
  }),
  'quality.accept': () => ({
    input: { connectionId: '', finding, note: 'known' },
    check: (nothing) => expect(nothing).toBeNull(),
  }),
  'quality.reopen': () => ({
    input: { connectionId: '', finding },
    check: ({ reopened }) => expect(reopened).toBeLessThanOrEqual(1),
  }),
  'lists.import': () => ({
    input: { text: 'list,exchange,symbol\nmajors,venuea-futures,perpetual-BTC-USDT:USDT\n' },
    check: (answer) => expect(answer).toEqual({ lists: ['majors'], imported: 1, warnings: [] }),
  }),
  'lists.list': () => ({ input: { connectionId: '' }, check: (all) => expect(all).toEqual([]) }),
  'lists.remove': () => ({ input: { name: 'majors' }, check: never, mayFail: ['not-found'] }),
  'data.list': () => ({ input: {}, check: (all) => expect(all).toEqual([]) }),
  'data.show': () => ({ input: { name: 'nothing' }, check: never, mayFail: ['not-found'] }),
  'data.add': () => ({
    input: { name: 'flows', paths: ['/nowhere/flows.csv'] },
    check: never,
    mayFail: ['bad-input', 'unsupported'],
  }),
  'data.preview': () => ({
    input: { name: 'flows', files: ['none'] },
    check: never,
    mayFail: ['not-found'],
  }),
  'data.refresh': () => ({ input: { name: 'nothing' }, check: never, mayFail: ['not-found'] }),
  'data.rows': () => ({
    input: { name: 'nothing', startMs: 0, endMs: 1 },
    check: never,
    mayFail: ['not-found'],
  }),
  'data.remove': () => ({ input: { name: 'nothing' }, check: never, mayFail: ['not-found'] }),
  'documents.list': () => ({ input: { kind: 'query' }, check: (list) => expect(list).toEqual([]) }),
  'documents.read': () => ({ input: { kind: 'board', id: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'documents.create': () => ({
    input: { kind: 'workspace', name: ' Basis study ', document: emptyDocument() },
    check: (made) => expect(made).toMatchObject({ name: 'Basis study', document: emptyDocument(), revision: 1 }),
  }),
  'documents.save': () => ({
    input: { kind: 'board', id: 'nobody', document: boardExample },
    check: never,
    mayFail: ['not-found'],
  }),
  'documents.rename': () => ({
    input: { kind: 'study', id: 'nobody', name: 'Other' },
    check: never,
    mayFail: ['not-found'],
  }),
  'documents.remove': () => ({ input: { kind: 'study', id: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'documents.export': () => ({
    input: { kind: 'query', name: 'Funding', document: queryExample },
    check: (saved) => saved && expect(saved.name).toBe('Funding.sql'),
    mayFail: ['unsupported'],
  }),
  'documents.import': () => ({ input: { kind: 'board', file: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'folder.list': () => ({
    input: {},
    check: (found) => expect(found).toEqual({ folder: null, problem: null, documents: [] }),
  }),
  'folder.use': () => ({ input: { folder: '/nowhere/at/all' }, check: never, mayFail: ['bad-input'] }),
  'folder.stop': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'folder.compare': () => ({ input: { kind: 'board', id: 'none' }, check: never, mayFail: ['not-found'] }),
  'folder.resolve': () => ({
    input: { kind: 'board', id: 'none', choice: 'mine', seen: '- -' },
    check: never,
    mayFail: ['not-found'],
  }),
  'returns.list': () => ({ input: {}, check: (all) => expect(all).toEqual([]) }),
  'returns.import': () => ({ input: { file: 'none' }, check: never, mayFail: ['not-found'] }),
  'returns.read': () => ({ input: { connectionId: '', id: 'none' }, check: never, mayFail: ['not-found'] }),
  'returns.change': () => ({ input: { id: 'none', unit: 'percent' }, check: never, mayFail: ['not-found'] }),
  'returns.remove': () => ({ input: { id: 'none' }, check: never, mayFail: ['not-found'] }),
  'instruments.list': () => ({ input: {}, check: (all) => expect(all).toEqual([]) }),
  'keys.set': ({ connectionId }) => ({
    input: { connectionId, service: 'metrics', key: 'abcdefgh-ijkl-wxyz' },
    check: (status) => expect(status).toMatchObject({ set: true, ending: 'wxyz' }),
  }),
  'keys.remove': ({ connectionId }) => ({
    input: { connectionId, service: 'portfolio' },
    check: (status) => expect(status).toEqual(noKey),
  }),
  'lab.trials': () => ({ input: { id: 'nobody' }, check: (all) => expect(all).toEqual([]) }),
  'lab.answer': () => ({ input: { id: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'ledger.overview': () => ({
    input: {},
    check: (overview) => expect(overview).toMatchObject({ entries: 0, trials: 0, families: [], distribution: null }),
  }),
  'ledger.family': () => ({
    input: { family: '0'.repeat(64) },
    check: (family) => expect(family).toEqual({ entries: [], isCut: false, distribution: null }),
  }),
  'ledger.expectation': () => ({
    input: { document: labExample.study, onPanel: true },
    check: (found) => expect(found).toEqual({ registered: null, wasRun: false }),
  }),
  'ledger.register': () => ({
    input: { document: labExample.study, onPanel: true, expect: 'up', kill: null, note: null },
    check: (entry) => expect(entry).toMatchObject({ expect: 'up', late: false }),
  }),
  'ledger.score': () => ({ input: { sequence: null }, check: (answer) => expect(answer).toEqual({ scores: [] }) }),
  'ledger.update': () => ({ input: {}, check: (scored) => expect(scored).toEqual({ runs: 0, days: 0 }) }),
  'ledger.curve': () => ({ input: { hash: '0'.repeat(64) }, check: ({ days }) => expect(days).toEqual([]) }),
  'ledger.calibration': () => ({ input: {}, check: ({ tests }) => expect(tests).toBe(0) }),
  'ledger.reset': () => ({
    input: { reason: 'new data' },
    check: ({ sequence }) => expect(sequence).toBe(1),
  }),
  'ledger.merge': () => ({ input: { file: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'ledger.verify': () => ({ input: {}, check: ({ broken }) => expect(broken).toBeNull() }),
  'lab.trial': () => ({ input: { document: labExample }, check: (trial) => expect(trial).toBeNull() }),
  'lab.fromPortfolio': () => ({
    input: {
      connectionId: '',
      name: 'Momentum',
      subject: { kind: 'weights', id: 'momentum_ls.20' },
      universe: null,
      kind: 'portfolio',
    },
    check: ({ document }) => expect(document.study).toMatchObject({ kind: 'portfolio', signal: 'weight' }),
    mayFail: ['not-found', 'offline', 'network', 'unsupported'],
  }),
  'lab.exportTest': () => ({
    input: { id: 'nobody', table: 'days', format: 'csv' },
    check: never,
    mayFail: ['not-found'],
  }),
  'lab.chartTest': () => ({ input: { id: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'lab.coverage': () => ({ input: { document: labExample }, check: never, mayFail: ['bad-input'] }),
  'lab.paths': () => ({ input: { document: labExample }, check: never, mayFail: ['bad-input'] }),
  'lab.bucket': () => ({
    input: { document: labExample, symbol: 'A', horizon: 1, bucket: 1 },
    check: never,
    mayFail: ['bad-input'],
  }),
  'lab.price': () => ({ input: { document: labExample, symbol: 'A' }, check: never, mayFail: ['bad-input'] }),
  'lab.run': () => ({ input: { id: 'nobody', document: labExample }, check: never, mayFail: ['not-found'] }),
  'lab.section': () => ({
    input: { document: labExample, horizon: 4, timeMs: 0 },
    check: never,
    mayFail: ['bad-input'],
  }),
  'lab.missing': () => ({
    input: { document: labExample },
    check: (answer) => expect(answer).toEqual({ files: 0, locked: 0, requests: [] }),
  }),
  'lab.source': () => ({ input: { document: labExample }, check: never, mayFail: ['bad-input'] }),
  'lab.symbol': () => ({
    input: { document: labExample, symbol: 'A', startMs: 0, endMs: 1 },
    check: never,
    mayFail: ['bad-input'],
  }),
  'lab.takePanel': () => ({ input: { file: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'inbox.list': () => ({
    input: {},
    check: (listed) => expect(listed).toEqual({ checks: [], entries: [], alarmProblem: null }),
  }),
  'inbox.read': () => ({ input: { ids: [] }, check: (entries) => expect(entries).toEqual([]) }),
  'inbox.snooze': () => ({ input: { id: 99, untilMs: 1 }, check: never, mayFail: ['not-found'] }),
  'inbox.run': () => ({ input: {}, check: (ran) => expect(ran).toEqual([]) }),
  'inbox.saveCheck': ({ connectionId }) => ({
    input: { name: 'any', rule: { kind: 'sql', sql: 'SELECT 1' }, connectionId, replaces: null },
    check: (nothing) => expect(nothing).toBeNull(),
  }),
  'inbox.history': ({ connectionId }) => ({
    input: { rule: { kind: 'sql', sql: 'SELECT 1' }, connectionId },
    check: ({ past, why }) => expect([past, why]).toEqual([[], expect.stringContaining('query')]),
  }),
  'inbox.removeCheck': () => ({ input: { name: 'nobody' }, check: never, mayFail: ['not-found'] }),
  'boards.content': () => ({
    input: { source: { kind: 'query', id: 'gone' } },
    check: never,
    mayFail: ['not-found'],
  }),
  'boards.followed': () => ({
    input: { document: { version: 1, parts: [] } },
    check: (board) => expect(board).toEqual({ version: 1, parts: [] }),
  }),
  'boards.answer': () => ({
    input: { connectionId: '', content: { kind: 'sql', name: 'One', sql: 'SELECT 42 AS a', parameters: {} } },
    check: ({ parts, sources }) => {
      expect(parts[1]).toMatchObject({ kind: 'table', columns: ['a'], rows: [[{ value: 42, text: '42' }]] })
      expect(sources).toBe(0)
    },
  }),
  'sql.dictionary': () => ({
    input: {},
    check: ({ views, functions }) => {
      expect(views.map(({ schema, name }) => `${schema}.${name}`)).toContain('metrics.funding')
      expect(functions.map(({ name }) => name)).toContain('instrument')
    },
  }),
  'sql.check': () => ({
    input: { sql: 'SELECT $a', parameters: {} },
    check: (checked) => expect(checked).toMatchObject({ parameters: ['a'], problem: null, preflight: null }),
  }),
  'sql.run': () => ({
    input: { sql: 'SELECT 42 AS x, $a AS a', parameters: { a: 'b' } },
    check: (ran) => expect(ran).toMatchObject({ opened: { rows: 1, columns: [{ name: 'x' }, { name: 'a' }] } }),
  }),
  'sql.rows': () => ({ input: { result: 99, from: 0, to: 10 }, check: never, mayFail: ['not-found'] }),
  'sql.close': () => ({ input: { result: 99 }, check: (nothing) => expect(nothing).toBeNull() }),
  'sql.plan': () => ({
    input: { sql: 'SELECT count(*) FROM range(10)', parameters: {} },
    check: (plan) => expect('operators' in plan && plan.operators.length).toBeGreaterThan(0),
  }),
  'sql.export': () => ({
    input: { result: 99, name: 'x', format: 'csv' },
    check: never,
    mayFail: ['not-found', 'unsupported'],
  }),
  'sql.toPanel': () => ({ input: { result: 99, name: 'x' }, check: never, mayFail: ['not-found'] }),
  'sql.toSeries': () => ({ input: { result: 99, name: 'x' }, check: never, mayFail: ['not-found'] }),
  'sql.refreshSeries': () => ({
    input: { symbols: ['nobody'] },
    check: (answer) => expect(answer).toEqual({ refreshed: [], problems: [] }),
  }),
  'sql.history': () => ({ input: {}, check: (runs) => expect(runs).toEqual([]) }),
  'sql.clearHistory': () => ({ input: {}, check: (nothing) => expect(nothing).toBeNull() }),
  'network.door': () => ({
    input: {},
    check: (door) => expect(door).toEqual({ open: null, problem: null }),
  }),
  'network.state': () => ({
    input: {},
    check: (state) => expect(state).toEqual({ offline: false, unreachable: [] }),
  }),
  'network.tryAgain': () => ({ input: {}, check: (state) => expect(state.unreachable).toEqual([]) }),
  'portfolio.history': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'returns', portfolio: 'momentum_ls.20' }, start: '2026-01-01' },
    check: never,
    mayFail: ['not-found'],
  }),
  'portfolio.live': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'regime-live', overlay: 'trend' } },
    check: never,
    mayFail: ['not-found'],
  }),
  'portfolio.tickers': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'tickers', id: 'momentum', universeSize: 'full' } },
    check: never,
    mayFail: ['not-found'],
  }),
  'portfolio.keptSnapshots': ({ connectionId }) => ({
    input: { connectionId, endpoint: 'regime-live', limit: 10 },
    check: (kept) => expect(kept).toEqual([]),
  }),
  'portfolio.snapshots': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'weights', portfolio: 'momentum_ls.20', asOf: 'latest' }, limit: 10 },
    check: (seen) => expect(seen).toEqual([]),
  }),
  'portfolio.snapshot': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'weights', portfolio: 'momentum_ls.20' }, createdAt: 1 },
    check: never,
    mayFail: ['not-here'],
  }),
  'portfolio.revisions': ({ connectionId }) => ({
    input: { connectionId, request: { endpoint: 'prices', ticker: ['BTC', '0G'] }, limit: 10 },
    check: (frame) => expect(frame.rows).toBe(0),
  }),
  'portfolio.listSeries': ({ connectionId }) => ({
    input: { connectionId },
    check: (series) => expect(series).toEqual([]),
  }),
  'portfolio.refreshSeries': ({ connectionId }) => ({
    input: { connectionId, series: [] },
    check: (answer) => expect(answer).toEqual({ refreshed: [], problems: [] }),
  }),
  'portfolio.usedIds': ({ connectionId }) => ({
    input: { connectionId, kind: 'portfolio', limit: 10 },
    check: (ids) => expect(ids).toEqual([]),
  }),
  ...rawExamples,
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
  'sample.fetch': () => ({ input: {}, check: never, mayFail: ['unsupported'] }),
  'sample.remove': () => ({ input: {}, check: (removed) => expect(removed).toEqual({ ...noFiles, days: null }) }),
  'series.read': ({ connectionId }) => ({
    input: { connectionId, ...flowOfADay, columns: ['volume_delta'] },
    check: ({ rows, files, missing, nextMs }) => {
      expect({ count: rows.rows, files, nextMs }).toEqual({ count: 0, files: [], nextMs: null })
      expect(missing).toEqual([{ startMs: flowOfADay.startMs, endMs: flowOfADay.endMs }])
    },
  }),
  'series.overview': ({ connectionId }) => ({
    input: { connectionId, ...flowOfADay, columns: ['volume_delta'], points: 500 },
    check: ({ points, range, coverage, files }) => {
      expect({ kind: points.kind, rows: points.frame.rows, files }).toEqual({ kind: 'rows', rows: 0, files: [] })
      expect(range).toEqual(dayRange)
      expect(coverage).toEqual([{ ...dayRange, state: 'available', isLocked: false, isQueued: false }])
    },
  }),
  'series.evaluate': ({ connectionId }) => ({
    input: {
      formula: 'sma(a, 5) / b',
      inputs: { a: { connectionId, ...flowSeries, column: 'volume_delta' } },
      ...dayRange,
    },
    check: ({ points, problem }) => {
      expect(points.frame.rows).toBe(0)
      expect(problem).toEqual({ message: 'There is no series b.', start: 12, end: 13 })
    },
  }),
  'series.statistics': ({ connectionId }) => ({
    input: {
      formula: 'a',
      inputs: { a: { connectionId, ...flowSeries, column: 'volume_delta' } },
      startMs: null,
      endMs: null,
    },
    check: (statistics) => expect(statistics).toMatchObject({ problem: null, rows: 0, mean: null }),
  }),
  'series.distribution': ({ connectionId }) => ({
    input: {
      formulas: [{ name: 'a', formula: 'a' }],
      inputs: { a: { connectionId, ...flowSeries, column: 'volume_delta' } },
      ...dayRange,
      by: 'hours',
    },
    check: ({ problem, series, boxes }) =>
      expect({ problem, values: series[0].values, groups: boxes[0].groups.length }).toEqual({
        problem: null,
        values: 0,
        groups: 0,
      }),
  }),
  'series.relationships': ({ connectionId }) => ({
    input: {
      formulas: [
        { name: 'a', formula: 'a' },
        { name: 'b', formula: 'b' },
      ],
      inputs: Object.fromEntries(
        ['a', 'b'].map((name) => [name, { connectionId, ...flowSeries, column: 'volume_delta' }]),
      ),
      ...dayRange,
      x: 1,
      y: 0,
    },
    check: ({ problem, line, matrix }) =>
      expect({ problem, line, n: matrix.n }).toEqual({
        problem: null,
        line: null,
        n: [
          [0, 0],
          [0, 0],
        ],
      }),
  }),
  'series.scan': ({ connectionId }) => ({
    input: { connectionId, ...venueFlow, ...dayRange, column: 'volume_delta', way: 'moment' },
    check: ({ frame, sparks, unread }) => {
      expect(frame.columns.map(({ name }) => name).slice(0, 3)).toEqual(['symbol', 'value', 'time'])
      expect({ rows: frame.rows, sparks: sparks.values.length, unread }).toEqual({ rows: 0, sparks: 0, unread: [] })
    },
  }),
  'series.export': ({ connectionId }) => ({
    input: { format: 'csv', series: [{ connectionId, ...flowSeries }], ...dayRange },
    check: never,
    mayFail: ['not-here'],
  }),
  'series.exportHive': ({ connectionId }) => ({
    input: { connectionId, datasets: ['flow'], startMs: null, endMs: null },
    check: never,
    mayFail: ['not-here'],
  }),
  'series.publishHive': ({ connectionId }) => ({
    input: {
      ...{ connectionId, datasets: ['flow'], startMs: null, endMs: null },
      ...{ store: '/nowhere/at/all', storeEndpoint: '', storePlainHttp: false },
    },
    check: never,
    mayFail: ['not-here'],
  }),
  'series.snippets': ({ connectionId }) => ({
    input: { connectionId, ...flowSeries, columns: ['volume_delta'], ...dayRange },
    check: (snippets) =>
      expect(snippets.map(({ name }) => name)).toEqual(['DuckDB', 'pandas', 'Polars', 'Spark', 'ClickHouse']),
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

const expectNoJobs = ({ jobs }: { jobs: number }) => expect(jobs).toBe(0)

export const augustSet = (connectionId: string) => ({
  connectionId,
  name: 'August',
  datasets: ['flow'],
  exchanges: ['venuea-futures'],
  symbols: ['perpetual-BTC-USDT:USDT'],
  start: { day: '2026-08-01' },
})

export const augustRequest = (connectionId: string) => ({
  connectionId,
  datasets: ['flow'],
  exchanges: ['venuea-futures'],
  symbols: ['perpetual-BTC-USDT:USDT'],
  startDay: '2026-07-15',
  endDay: '2026-08-02',
})

export const clickHouse = { url: 'https://clickhouse.example:8443', user: 'quant', cluster: '', plainHttp: false }
export const emptyFields = { name: 'New', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null }
