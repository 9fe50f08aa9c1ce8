import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CacheStudy } from '#core/lab/cachePlan.ts'
import { cacheTask } from '#core/lab/cacheSource.ts'
import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { runPanelStudy } from '#core/lab/panelStudy.ts'
import { createPortfolioTestService } from '#core/lab/portfolio/portfolioTestService.ts'
import { OtherParts, partsOfScreen } from '#core/lab/screenParts.ts'
import { createStudyService } from '#core/lab/studyService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import type { RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import type { LongRows } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { testOf } from '#shared/lab/kinds/screen/openCell.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addMetricFiles, type MarketRow } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { findFundingIn } from '../fakes/findFunding.ts'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { HOUR_MS } from '../fakes/panelWorld.ts'
import { noiseRows } from '../fakes/screenWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

type Screen = ResultOf<'screen'>

const VENUE = 'heron-perps'
const SYMBOLS = ['perpetual-BTC-USDT:USDT', 'perpetual-ETH-USDT:USDT']
const START = dayNumberOf('2026-07-01') * MS_PER_DAY
const BARS = 24 * 25
const document = {
  ...{ version: 1, kind: 'screen', interval: '1h', start: '2026-07-01', end: '2026-07-31' },
  source: { exchanges: [VENUE], symbols: SYMBOLS, timestamp: 'exchange' },
  ...{ templates: ['x', 'rank(x, 48, 24)'], horizons: [1, 4], shifts: 19 },
}

/** Columns of the cache, in the order of the catalog, with the columns of the rows that they are. */
const cached = {
  flow: { volume_delta: 'c0', taker_buy_volume: 'c1' },
  ohlcv: { close: 'close' },
  basis: { basis_bps: 'c2' },
}

const rows: LongRows = noiseRows({ seed: 21, bars: BARS, columns: 4, symbols: 2, groupSize: 1 })

const valuesOf = (columns: Readonly<Record<string, string>>, symbol: number): MarketRow[] =>
  Array.from({ length: BARS }, (_, bar) => ({
    time: START + bar * HOUR_MS,
    ...Object.fromEntries(
      Object.entries(columns).map(([name, from]) => [name, rows.columns.get(from)?.[symbol * BARS + bar] ?? NaN]),
    ),
  })) as MarketRow[]

function openLab({ mostMemoryBytes }: { mostMemoryBytes?: number } = {}) {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  SYMBOLS.forEach((symbol, at) => {
    for (const [dataset, columns] of Object.entries(cached)) {
      const series = { dataset, exchange: VENUE, symbol, interval: '1h', columns: Object.keys(columns) }
      addMetricFiles(store, dataDir, { ...series, rows: valuesOf(columns, at) }, ['2026-07'])
    }
  })
  // Of one symbol only, so that it is not tried.
  const funding = { dataset: 'funding', exchange: VENUE, symbol: SYMBOLS[0], interval: '1h', columns: ['funding_rate'] }
  addMetricFiles(store, dataDir, { ...funding, rows: valuesOf({ funding_rate: 'c3' }, 0) }, ['2026-07'])
  const clock = fakeClock(Date.UTC(2026, 7, 8))
  const access = () => Promise.reject(new Error('offline'))
  const openPortfolio = (connectionId: string) => createPortfolio(store.portfolio, clock, { connectionId, access })
  const ledger = openTestLedger()
  const sources = { store, clock, openPortfolio, fundingOf: findFundingIn(store), changedFiles: null, dataDir }
  const cache = { ...sources, ...(mostMemoryBytes !== undefined && { mostMemoryBytes }) }
  const studies = createStudyService({ panelCheck: noPanelCheck, ...cache, ledger: () => ledger })
  const tests = createPortfolioTestService(() => ledger, noPanelCheck, cache)
  onTestFinished(async () => {
    await studies.close()
    await tests.close()
  })
  const stages: string[] = []
  const run = async (fields: object = {}, panelPath: string | null = null) => {
    const outcome = await studies.run(
      { document: { ...document, ...fields }, panelPath, againstPath: null },
      { signal: new AbortController().signal, onStage: (stage) => stages.push(stage), who: 'cli' },
    )
    if ('refused' in outcome) throw new Error(outcome.message)
    if (outcome.result.kind !== 'screen') throw new Error('no screen')
    return outcome.result
  }
  const test = (fields: object, panelPath: string | null = null) =>
    tests.run(
      { document: fields, panelPath, openHoldout: false, keepBars: false },
      { signal: new AbortController().signal, who: 'cli', onProgress: () => undefined },
    )
  return { run, test, studies, ledger, stages, sources: cache }
}

/** Adds a venue that counts in contracts, with the rows of the second symbol. */
function cacheOtherVenue({ store, dataDir }: ReturnType<typeof openLab>['sources']): void {
  for (const [dataset, columns] of Object.entries(cached)) {
    const series = { dataset, exchange: 'venueb-perps', symbol: SYMBOLS[0], interval: '1h' }
    addMetricFiles(store, dataDir, { ...series, columns: Object.keys(columns), rows: valuesOf(columns, 1) }, [
      '2026-07',
    ])
  }
}

const codesOf = (result: { warnings: readonly { code: string }[] }) => result.warnings.map(({ code }) => code)
const entriesOf = ({ ledger }: ReturnType<typeof openLab>) =>
  [...ledger.tables.entries()].map(({ entry }) => entry as RunEntry)

/** Writes the rows as a CSV panel, with the names of the cache. */
function panelFile(): string {
  const path = join(temporaryFolder(), 'panel.csv')
  const names = Object.entries(cached).flatMap(([dataset, columns]) =>
    Object.entries(columns).map(([name, from]) => [`${dataset}.${name}`, from]),
  )
  const lines = Array.from({ length: 2 * BARS }, (_, row) => [
    START + (row % BARS) * HOUR_MS,
    `${VENUE}/${SYMBOLS[Math.floor(row / BARS)]}`,
    ...names.map(([, from]) => rows.columns.get(from)?.[row]),
    'a text',
  ])
  writeFileSync(path, `${[['time', 'symbol', ...names.map(([name]) => name), 'note'], ...lines].join('\n')}\n`)
  return path
}

describe('a screen of cached files', () => {
  it('tries every column of the datasets that all symbols have, in the order of the catalog', async () => {
    const lab = openLab()
    const { columns, attrition, best } = await lab.run()
    expect(columns).toEqual(['flow.taker_buy_volume', 'flow.volume_delta', 'ohlcv.close', 'basis.basis_bps'])
    expect(attrition.cells).toBe(2 * 4 * 2 * 2)
    expect(new Set(best.map(({ column }) => column.split('.')[0])).size).toBe(best.length)
    expect(best).toHaveLength(3)
    expect(lab.stages).toContain('columns')
  })

  it('is that of a panel with the same rows, bit for bit, also if the cells do not fit into memory', async () => {
    const { cells, noise, split } = await openLab().run()
    const columns = ['flow.taker_buy_volume', 'flow.volume_delta', 'ohlcv.close', 'basis.basis_bps']
    const panel = await openLab().run({ columns, price: 'ohlcv.close' }, panelFile())
    expect({ cells: panel.cells, noise: panel.noise, split: panel.split }).toEqual({ cells, noise, split })
    const spilled = await openLab({ mostMemoryBytes: 1 }).run()
    expect(spilled.cells).toEqual(cells)
    expect(codesOf(panel)).toEqual(['source-unused'])
  })

  it('tries every numeric column of a panel but the price', async () => {
    const { columns } = await openLab().run({ source: null, price: 'ohlcv.close' }, panelFile())
    expect(columns).toEqual(['flow.volume_delta', 'flow.taker_buy_volume', 'basis.basis_bps'])
  })

  it.each([null, ['flow.volume_delta', 'basis.basis_bps', 'ohlcv.close * 2']])(
    'is the same in two threads, of the columns %s',
    async (columns) => {
      const { sources } = openLab()
      const study = parseStudy({ ...document, columns }, { fromCache: true }) as CacheStudy
      const signal = new AbortController().signal
      const { task } = await cacheTask(sources, study, { connectionId: '' }, signal)
      const [own, ...otherTasks] = partsOfScreen(task, 2, 0)
      expect(otherTasks).toHaveLength(1)
      using others = new OtherParts(otherTasks)
      const onStage = () => undefined
      const divided = await runPanelStudy(task, onStage, undefined, undefined, { own, others: () => others.parts() })
      expect(divided).toEqual(await runPanelStudy(task, onStage))
    },
  )

  it('names a wrong column of another thread by its place in the document', async () => {
    const { sources } = openLab()
    const study = parseStudy(
      { ...document, columns: ['flow.volume_delta', 'sma(basis.basis_bps)'] },
      { fromCache: true },
    )
    const { task } = await cacheTask(sources, study as CacheStudy, { connectionId: '' }, new AbortController().signal)
    using others = new OtherParts(partsOfScreen(task, 2, 0).slice(1))
    await expect(others.parts()).rejects.toThrow(/^columns\[1\]/)
  })

  it('is refused by its columns, and if nothing is cached', async () => {
    const { run } = openLab()
    await expect(run({ columns: ['flow.volume_delta', 'flow.nothing'] })).rejects.toThrow(
      /^columns\[1\].*flow\.nothing/,
    )
    await expect(run({ columns: ['nothing.at_all'] })).rejects.toThrow(/^columns\[0\].*nothing/)
    await expect(run({ templates: ['x - funding.nothing'] })).rejects.toThrow(/^templates\[0\].*funding\.nothing/)
    await expect(run({ interval: '5m' })).rejects.toThrow(/no rows of ohlcv at 5m/)
  })

  it('tells what is not downloaded, and what it depends on', async () => {
    const { studies, run } = openLab()
    const request = { document: { ...document, start: '2026-06-01', columns: ['flow.volume_delta'] } }
    const facts = await studies.cacheFacts({ document })
    const narrower = await studies.cacheFacts({ document: { ...document, columns: ['flow.volume_delta'] } })
    expect(facts).not.toEqual(narrower)
    expect(await studies.missingFiles(request)).toHaveProperty('missing')
    expect((await run()).data.symbols).toBe(2)
  })

  it('can be cancelled, records nothing then, and is recorded once when it runs again', async () => {
    const lab = openLab()
    const abort = new AbortController()
    const running = lab.studies.run(
      { document, panelPath: null, againstPath: null },
      { signal: abort.signal, onStage: (stage) => (stage === 'columns' ? abort.abort() : undefined), who: 'cli' },
    )
    await expect(running).rejects.toThrow('aborted')
    expect(entriesOf(lab)).toEqual([])
    const { attrition } = await lab.run()
    expect(entriesOf(lab).map(({ cells, repeats }) => ({ cells, repeats }))).toEqual([
      { cells: attrition.used, repeats: null },
    ])
  })

  it('tells that units differ between the venues only where a formula compares symbols', async () => {
    const lab = openLab()
    cacheOtherVenue(lab.sources)
    const source = { ...document.source, exchanges: [VENUE, 'venueb-perps'], symbols: [SYMBOLS[0]] }
    const columns = ['flow.taker_buy_volume', 'basis.basis_bps']
    const alone = await lab.run({ source, columns })
    expect(new Set(alone.cells.map(({ symbol }) => symbol.split('/')[0]))).toEqual(new Set(source.exchanges))
    expect(codesOf(alone)).not.toContain('mixed-units')
    const ranked = await lab.run({ source, columns, templates: ['cs_rank(x)', 'x'] })
    expect(codesOf(ranked)).toContain('mixed-units')
    expect(ranked.warnings.map(({ message }) => message).join(' ')).not.toContain('basis_bps')
  })

  it('reads the rows of its own clock, and none of the other', async () => {
    const lab = openLab()
    const arrival = { ...document.source, timestamp: 'true' }
    await expect(lab.run({ source: arrival })).rejects.toThrow(/no rows of ohlcv/)
    const { columns } = await lab.run({ source: document.source })
    expect(columns).toContain('flow.volume_delta')
  })
})

describe('the ledger', () => {
  it('has one entry of a screen with the cells that it tried, once', async () => {
    const lab = openLab()
    const { attrition } = await lab.run()
    await lab.run({ name: 'again' })
    await lab.run({ columns: ['flow.volume_delta'] })
    const entries = entriesOf(lab)
    expect(entries.map(({ role, isTrial, repeats, cells }) => ({ role, isTrial, repeats, cells }))).toEqual([
      { role: 'screen', isTrial: false, repeats: null, cells: attrition.used },
      { role: 'screen', isTrial: false, repeats: 1, cells: attrition.used },
      { role: 'screen', isTrial: false, repeats: null, cells: 8 },
    ])
    expect(lab.ledger.verify()).toBeNull()
    expect(lab.ledger.tables.countTried()).toBe(attrition.used + 8)
    expect(lab.ledger.tables.countTrials()).toBe(0)
    const { overfitting } = await lab.test({ ...testDocument, signal: '0.5' })
    expect(overfitting).toMatchObject({ trials: 1, trialsInLedger: attrition.used + 8 + 1 })
    lab.ledger.append([{ event: 'reset', reason: 'a new start' }], 'cli')
    expect(lab.ledger.tables.countTried()).toBe(0)
    await lab.run()
    expect(lab.ledger.tables.countTried()).toBe(attrition.used)
  })

  const testDocument = {
    ...{ version: 1, kind: 'portfolio', interval: '1h', start: '2026-07-01', end: '2026-07-31' },
    source: { ...document.source, symbols: [SYMBOLS[0]] },
    ...{ weights: { rule: 'direct' }, rebalance: { every: '1h' }, funding: 'zero', fundingRate: '0 * ohlcv.close' },
  }

  it('has a test warned of whose signal a screen tried on its rows', async () => {
    const lab = openLab()
    const result: Screen = await lab.run()
    const codes = async (fields: object) => codesOf(await lab.test({ ...testDocument, ...fields }))
    const { formula } = result.cells[0]
    expect(await codes({ signal: formula })).toContain('screened')
    expect(await codes({ signal: ` ${formula.replace('(', '( ')}` })).toContain('screened')
    expect(await codes({ signal: 'flow.volume_delta' })).toContain('screened')
    expect(await codes({ signal: 'sma(flow.volume_delta, 3)' })).not.toContain('screened')
    expect(await codes({ signal: formula, source: { ...document.source, timestamp: 'true' } }).catch(() => [])).toEqual(
      [],
    )
    const grid = { signal: 'rank((flow.volume_delta), {n}, 24)', parameters: { n: [24, 48] }, walkForward: {} }
    expect(await codes(grid)).toContain('screened')
    expect(await codes({ ...grid, parameters: { n: [24, 36] } })).not.toContain('screened')
    const opened = { ...testOf(result, result.cells[0]), funding: 'none' }
    const warned = await lab.test(opened)
    const { message } = warned.warnings.find(({ code }) => code === 'screened')!
    expect(message).toContain('entry 1 ')
    expect(message).toContain(String(result.attrition.used))
  })

  it('warns before ruin', async () => {
    const lab = openLab()
    await lab.run()
    const ruinous = { signal: '(ohlcv.close)', weights: { rule: 'direct', leverage: 100 } }
    const codes = codesOf(await lab.test({ ...testDocument, ...ruinous }))
    expect(codes.slice(codes.indexOf('screened'))).toEqual(['screened', 'ruined'])
  })
})
