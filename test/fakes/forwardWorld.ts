import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEventBus } from '#core/eventBus.ts'
import { createOwnData } from '#core/own/ownData.ts'
import { packBackup } from '#core/store/backup/backupFile.ts'
import { restoreBackup } from '#core/store/backup/restoreBackup.ts'
import { createBlendService } from '#core/lab/book/blendService.ts'
import { createPortfolioTestService } from '#core/lab/portfolio/portfolioTestService.ts'
import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createStudyService } from '#core/lab/studyService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import { curveOf, scoresOf } from '#core/lab/forward/scoreReport.ts'
import { updateScores } from '#core/lab/forward/updateScores.ts'
import { openLedger, type RunDraft } from '#core/store/ledger/ledger.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, keyOf } from '#core/store/ledger/studyIdentity.ts'
import { openStore, type Store } from '#core/store/store.ts'
import { type HistoryRequest, queryTextOf } from '#shared/catalog/portfolioRequest.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber, dayNumberOf } from '#shared/time/periods.ts'
import { addMetricFiles } from './cacheMarket.ts'
import { dataFolder } from './dataFolder.ts'
import { noRuns } from './noRuns.ts'
import { fakeLog } from './fakeLog.ts'
import { findFundingIn } from './findFunding.ts'
import { randomOf } from './panelWorld.ts'

export const FIRST_DAY = dayNumberOf('2026-06-16')
export const symbols = ['BTC', 'ETH', 'SOL'].map((base) => `perpetual-${base}-USDT:USDT`)
const EXCHANGE = 'venuea-futures'

export const test = {
  version: 1,
  kind: 'portfolio',
  interval: '1d',
  start: '2026-06-16',
  end: '2026-12-31',
  signal: '-pct(ohlcv.close, 1)',
  funding: 'none',
  source: { exchanges: [EXCHANGE], symbols: null, universe: null, timestamp: 'exchange' },
}

export const signalStudy = {
  version: 1,
  kind: 'signal',
  interval: '1d',
  start: '2026-06-16',
  end: '2026-12-31',
  signal: '-pct(ohlcv.close, 1)',
  horizons: [2],
  quantiles: 2,
  source: test.source,
}

/** Price of a symbol at the end of a day; versions of a day differ. */
export function priceOf(symbol: number, day: DayNumber, version = 0): number {
  const random = randomOf(1 + symbol * 7919 + day * 31 + version * 104_729)
  random()
  return 100 * Math.exp(0.05 * (random() - 0.5))
}

/** A machine with a cache, a ledger and a clock, on which runs are recorded and scored. */
export function forwardWorld(dataDir = dataFolder()) {
  let nowMs = 0
  const clock = { nowMs: () => nowMs }
  const open = () => ({
    store: openStore({ dataDir, clock, log: fakeLog() }),
    ledger: openLedger({ dataDir, clock, log: fakeLog() }),
  })
  let opened = open()
  const seriesOf = (symbol: number) => ({
    connectionId: 'sandbox',
    kind: 'metrics' as const,
    dataset: 'ohlcv',
    exchange: EXCHANGE,
    symbol: symbols[symbol],
    interval: '1d',
    timestamp: 'exchange' as const,
  })
  const depsOf = (store: Store) => ({
    store,
    clock,
    dataDir,
    changedFiles: null,
    fundingOf: findFundingIn(store),
    openPortfolio: () =>
      createPortfolio(store.portfolio, clock, {
        connectionId: 'sandbox',
        access: () => Promise.reject(new Error('offline')),
      }),
  })
  const options = { signal: new AbortController().signal, who: 'cli' as const, onProgress: () => undefined }
  const scoreDeps = () => ({ ...depsOf(opened.store), ledger: opened.ledger, connectionId: 'sandbox', nowMs })

  return {
    dataDir,
    get store() {
      return opened.store
    },
    get ledger() {
      return opened.ledger
    },
    now: () => nowMs,
    setClock: (time: string | number) => void (nowMs = typeof time === 'number' ? time : Date.parse(time)),
    /** Fetches the file of a day of every symbol, or of one. */
    fetchDay(day: DayNumber, { version = 0, only }: { version?: number; only?: number } = {}): void {
      for (const symbol of symbols.keys()) {
        if (only !== undefined && only !== symbol) continue
        const { connectionId: _connection, kind: _kind, timestamp: _timestamp, ...series } = seriesOf(symbol)
        const rows = [{ time: day * MS_PER_DAY, close: priceOf(symbol, day, version) }]
        addMetricFiles(opened.store, dataDir, { ...series, columns: ['close'], rows }, [dayFromNumber(day)], {
          fetchedAtMs: nowMs,
        })
      }
    },
    /** Fetches the funding rates of a day of every symbol. */
    fetchRates(day: DayNumber): void {
      for (const symbol of symbols) {
        const rows = [{ time: day * MS_PER_DAY, funding_rate: 0.001 }]
        const series = {
          dataset: 'funding',
          exchange: EXCHANGE,
          symbol,
          interval: '1d',
          columns: ['funding_rate'],
          rows,
        }
        addMetricFiles(opened.store, dataDir, series, [dayFromNumber(day)], { fetchedAtMs: nowMs })
      }
    },
    /** Says how often funding is paid, from the start or from a day on. */
    typeFunding(every: string, from: string | null = null): void {
      const unknown = { contract_size: null, quote: null, tick: null, funding_offset: null, funding_rate_per: null }
      const rest = { ...unknown, native: null, listed: null, delisted: null, renamed_from: null }
      opened.store.instruments.replace(
        symbols.map((symbol) => ({ exchange: EXCHANGE, symbol, valid_from: from, funding_every: every, ...rest })),
      )
    },
    removeDay(day: DayNumber): void {
      opened.store.files.forget(
        [...symbols.keys()].map((symbol) => ({ series: seriesOf(symbol), period: dayFromNumber(day) })),
      )
    },
    async run(document: object = test, fields: { openHoldout?: boolean; panelPath?: string } = {}): Promise<void> {
      const service = createPortfolioTestService(() => opened.ledger, noPanelCheck, depsOf(opened.store))
      const request = { document, panelPath: null, openHoldout: false, keepBars: false, ...fields }
      await service.run(request, options).finally(() => service.close())
    },
    /** Fetches a day of the history of a portfolio, and of the prices of its tickers. */
    fetchHistories(day: DayNumber, { version = 0 }: { version?: number } = {}): void {
      const tickers = ['AAA', 'BBB']
      const save = (request: HistoryRequest, valueOf: (ticker: number) => number) =>
        opened.store.portfolio.saveDays(
          { connectionId: 'sandbox', endpoint: request.endpoint, query: queryTextOf(request) },
          { start: FIRST_DAY, end: day + 1 },
          { days: Int32Array.of(day), columns: tickers, values: Float64Array.from(tickers, (_, at) => valueOf(at)) },
          { fetchedAtMs: nowMs, source: 'https://portfolio.example', problems: [] },
        )
      save(
        { endpoint: 'history', portfolio: 'momentum', exchange: 'unconstrained' },
        (at) => (at === 0 ? 1 : -1) + day / 1e6,
      )
      save({ endpoint: 'prices', ticker: tickers }, (at) => priceOf(at, day, version))
    },
    /** Runs a blend of the history of a portfolio. */
    async blend(): Promise<void> {
      const { store, openPortfolio } = depsOf(opened.store)
      const service = createBlendService({ store, openPortfolio, clock, ledger: () => opened.ledger })
      const document = {
        ...{ version: 1, kind: 'blend', start: dayFromNumber(FIRST_DAY), end: '2026-12-31' },
        components: [{ from: { portfolio: 'momentum' } }],
      }
      const request = { document, panelPath: null, againstPath: null }
      await service.run(request, { ...options, onShare: () => undefined }).finally(() => service.close())
    },
    /** Adds a CSV file as own data, or reads it again. */
    async own(name: string, csv: string): Promise<void> {
      const path = join(dataDir, `${name}.csv`)
      writeFileSync(path, csv)
      const deps = { store: opened.store, clock, bus: createEventBus(() => {}), ledger: noRuns }
      const service = createOwnData(deps)
      const ownOptions = { signal: options.signal, progress: () => undefined }
      const choices = { name, events: false, knownAfter: '0m', units: {} }
      const isThere = opened.store.ownData.find(name) !== null
      await (isThere ? service.refresh(name, [], ownOptions) : service.add(choices, [path], ownOptions)).finally(() =>
        service.close(),
      )
    },
    /** Records the last run again with other amounts of capital, which changes no return. */
    variants(count: number): void {
      const last = [...opened.ledger.tables.entries()].at(-1)?.entry
      if (last?.event !== 'run' || last.study.kind !== 'portfolio') throw new Error('The last entry is no test.')
      const { event, kind, role, study, inputs, family, holdoutFromDay, summary, firstDay, grid, dataTo, seenTo } = last
      const returns = returnsFromBytes(opened.ledger.tables.returns(last.returnsSha256!)!)
      const drafts = Array.from({ length: count }, (_, at): RunDraft => {
        const variant = { ...study, capital: 1000 + at }
        const hash = documentHash(variant)
        return {
          ...{ event, kind, role, inputs, family, holdoutFromDay, summary, firstDay, grid, returns },
          ...{ ...(dataTo && { dataTo }), ...(seenTo && { seenTo }), study: variant, documentHash: hash },
          key: keyOf({ documentHash: hash, inputs, readUntil: null }),
        }
      })
      opened.ledger.append(drafts, 'cli')
    },
    async study(document: object = signalStudy): Promise<void> {
      const service = createStudyService({
        ...depsOf(opened.store),
        panelCheck: noPanelCheck,
        ledger: () => opened.ledger,
      })
      const request = { document, panelPath: null, againstPath: null }
      await service.run(request, { ...options, onStage: () => undefined }).finally(() => service.close())
    },
    /** Scores all runs; `throwIfCancelled` is called before each of them. */
    update: (throwIfCancelled = () => {}) =>
      updateScores(scoreDeps(), { part: 0, parts: 1 }, { onProgress: () => undefined, throwIfCancelled }),
    scores: () => scoresOf(scoreDeps()),
    curve: (hash: string) => curveOf(opened, hash),
    /** Packs a backup; the function that is returned restores it in place of everything, the files too. */
    backUp(path: string): () => Promise<void> {
      writeFileSync(path, packBackup(dataDir, '0.0.0', nowMs).bytes)
      return async () => {
        this.close()
        await restoreBackup(path, { dataDir, clock }, true, options.signal)
        opened = open()
      }
    },
    reopen(): void {
      this.close()
      opened = open()
    },
    close(): void {
      opened.store.close()
      opened.ledger.close()
    },
  }
}
