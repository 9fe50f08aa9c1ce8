import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ColumnSource } from 'hyparquet-writer'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { noPanelCheck } from '#core/lab/panelCheck.ts'
import { createStudyService, type StudyOutcome } from '#core/lab/studyService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import { type ChangedFiles, createChangedFiles } from '#core/series/changedFiles.ts'
import type { Store } from '#core/store/store.ts'
import type { Section } from '#shared/lab/inspectPanel.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf, type Period, periodDays } from '#shared/time/periods.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { findFundingIn } from '../fakes/findFunding.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { HOUR_MS, randomOf } from '../fakes/panelWorld.ts'
import { recordedProcesses } from '../fakes/recordedProcesses.ts'
import { addCachedFile } from '../fakes/parquetCache.ts'

const venues = ['venuea-futures', 'venueb-perps', 'venuec-perps'] as const
const bases = ['BTC', 'ETH', 'SOL']
const periods: Period[] = ['2026-06', '2026-07', '2026-08-01', '2026-08-02', '2026-08-03']
const LATE_SYMBOL = 'venuec-perps/perpetual-SOL-USDT:USDT'
const FIRST_DAY = dayNumberOf('2026-06-01')
const LAST_DAY = dayNumberOf('2026-08-03')

interface MarketRow {
  time: number
  close: number
  volume: number
}

interface Market {
  exchange: string
  symbol: string
  base: string
  rows: MarketRow[]
}

/** Returns hourly rows of nine symbols in the order of their files, with gaps, missing values and duplicate rows. */
function markets(): Market[] {
  const random = randomOf(11)
  return venues.flatMap((exchange) =>
    bases.map((base) => {
      const symbol = `perpetual-${base}-USDT:USDT`
      const rows: MarketRow[] = []
      let price = 100 * (1 + random())
      const first = `${exchange}/${symbol}` === LATE_SYMBOL ? dayNumberOf('2026-07-15') : FIRST_DAY
      for (let time = first * MS_PER_DAY; time < (LAST_DAY + 1) * MS_PER_DAY; time += HOUR_MS) {
        price *= Math.exp(0.01 * (random() - 0.5))
        if (random() < 0.02) continue
        const volume = () => (random() < 0.03 ? NaN : 1000 * random())
        if (random() < 0.02) rows.push({ time, close: price * 2, volume: volume() })
        rows.push({ time, close: price, volume: volume() })
      }
      return { exchange, symbol, base, rows }
    }),
  )
}

/** Writes the rows as files of the cache; one venue has timestamps in microseconds, the others have integers. */
function cacheFiles(store: Store, dataDir: string, all: readonly Market[], timestamp = 'exchange'): void {
  for (const { exchange, symbol, rows } of all) {
    for (const period of periods) {
      const { start, end } = periodDays(period)!
      const own = rows.filter(({ time }) => time >= start * MS_PER_DAY && time < end * MS_PER_DAY)
      if (own.length === 0) continue
      const time: ColumnSource =
        exchange === 'venueb-perps'
          ? { name: 'time', type: 'TIMESTAMP', data: own.map((row) => new Date(row.time)) }
          : { name: 'time', type: 'INT64', data: BigInt64Array.from(own, (row) => BigInt(row.time)) }
      const numbers = (['close', 'volume'] as const).map((name): ColumnSource => {
        const data = own.map((row) => (Number.isNaN(row[name]) ? null : row[name]))
        return { name, type: 'DOUBLE', data, nullable: true }
      })
      const series = {
        connectionId: 'sandbox',
        kind: 'metrics' as const,
        dataset: 'ohlcv',
        exchange,
        symbol,
        interval: '1h',
        timestamp,
      }
      addCachedFile(store, dataDir, series, period, [time, ...numbers])
    }
  }
}

/** Returns the members of the universe on a day: SOL joins in July, and BTC leaves for a week. */
function universeOn(day: number): string[] {
  const sol = day >= dayNumberOf('2026-07-01') ? ['SOL'] : []
  const isAway = day >= dayNumberOf('2026-07-20') && day < dayNumberOf('2026-07-27')
  return [...(isAway ? [] : ['BTC']), 'ETH', ...sol]
}

const UNIVERSE_FROM = dayNumberOf('2026-04-01')

function storeUniverse(store: Store): void {
  const days = Int32Array.from({ length: LAST_DAY - UNIVERSE_FROM + 1 }, (_, at) => UNIVERSE_FROM + at)
  const values = Float64Array.from(
    [...days].flatMap((day) => bases.map((base) => (universeOn(day).includes(base) ? 1 : NaN))),
  )
  const key = { connectionId: 'sandbox', endpoint: 'universe', query: 'size=20&exchange=unconstrained' }
  const fetched = { fetchedAtMs: Date.UTC(2026, 7, 4), source: 'http://service', problems: [] }
  store.portfolio.saveDays(key, { start: UNIVERSE_FROM, end: LAST_DAY + 1 }, { days, columns: bases, values }, fetched)
}

/** Writes the same rows as one panel in the order of the files, optionally with a column that marks members. */
function panelFile(folder: string, all: readonly Market[], withMembers: boolean): string {
  const lines = all.flatMap(({ exchange, symbol, base, rows }) =>
    rows.map(({ time, close, volume }) => {
      const member = universeOn(Math.floor(time / MS_PER_DAY) - 1).includes(base)
      const cells = [time, `${exchange}/${symbol}`, close, Number.isNaN(volume) ? '' : volume]
      return [...cells, ...(withMembers ? [member] : [])].join(',')
    }),
  )
  const path = join(folder, withMembers ? 'members.csv' : 'rows.csv')
  writeFileSync(path, [`time,symbol,ohlcv.close,ohlcv.volume${withMembers ? ',member' : ''}`, ...lines, ''].join('\n'))
  return path
}

function openLab(store: Store, changedFiles: ChangedFiles | null = null, more: { mostMemoryBytes?: number } = {}) {
  const clock = fakeClock(Date.UTC(2026, 7, 4))
  const access = () => Promise.reject(new Error('offline'))
  const openPortfolio = (connectionId: string) => createPortfolio(store.portfolio, clock, { connectionId, access })
  const ledger = openTestLedger()
  const lab = createStudyService({
    ...{ store, clock, openPortfolio, ledger: () => ledger, dataDir: dataFolder(), ...more },
    fundingOf: findFundingIn(store),
    changedFiles,
    panelCheck: noPanelCheck,
  })
  onTestFinished(() => lab.close())
  return lab
}

const options = { signal: new AbortController().signal, onStage: () => undefined }

function resultOf(answer: StudyOutcome): StudyResult {
  if ('refused' in answer) throw new Error(answer.message)
  return answer.result
}

const signalStudy = {
  version: 1,
  kind: 'signal',
  interval: '1h',
  start: '2026-06-10',
  end: '2026-08-03T12:00Z',
  signal: 'cs_rank(sma(ohlcv.volume, 5, 3)) - cs_zscore(diff(log(ohlcv.close)))',
  price: 'ohlcv.close',
  horizons: [1, 6],
  quantiles: 3,
}
const source = { exchanges: [...venues], symbols: null, universe: null, timestamp: 'exchange' }
const sharedPart = ({
  study: _study,
  warnings: _warnings,
  data: { notDownloaded: _files, ...data },
  ...rest
}: StudyResult) => ({
  ...rest,
  data,
})

describe('a study of the cache', () => {
  const all = markets()

  async function runBothWays(fields: object, universe: { size: number } | null) {
    const dataDir = dataFolder()
    const store = openTestStore(dataDir)
    cacheFiles(store, dataDir, all)
    storeUniverse(store)
    const lab = openLab(store)
    const study = { ...signalStudy, ...fields }
    const cached = await lab.run(
      { document: { ...study, source: { ...source, universe } }, panelPath: null, againstPath: null },
      options,
    )
    const panelPath = panelFile(dataDir, all, universe !== null)
    const fromFile = await lab.run({ document: study, panelPath, againstPath: null }, options)
    const inBlocks = await openLab(store, null, { mostMemoryBytes: 0 }).run(
      { document: { ...study, source: { ...source, universe } }, panelPath: null, againstPath: null },
      options,
    )
    expect(resultOf(inBlocks)).toEqual(resultOf(cached))
    return { cached: resultOf(cached), filed: resultOf(fromFile) }
  }

  it('gives the same result as the same rows in one panel, bit for bit', async () => {
    const { cached, filed } = await runBothWays({}, null)
    expect(cached.data.duplicates).toBeGreaterThan(50)
    expect(cached.data.symbols).toBe(9)
    expect(sharedPart(cached)).toEqual(sharedPart(filed))
  })

  it('gives the same result with a universe that changes', async () => {
    const { cached, filed } = await runBothWays({}, { size: 20 })
    expect(cached).toMatchObject({ horizons: [{ attrition: { notMember: expect.any(Number) as number } }, {}] })
    expect(sharedPart(cached)).toEqual(sharedPart(filed))
  })

  it.each([
    { kind: 'events', when: 'ohlcv.volume > sma(ohlcv.volume, 24)', price: 'ohlcv.close', adjust: 'market' },
    { kind: 'leadlag', value: "diff(log(ohlcv.close)) - resample(ohlcv.volume, '4h')", maxLag: 2 },
    { kind: 'seasonality', value: 'cs_zscore(cumsum(ohlcv.volume))' },
  ])('gives the same result, bit for bit, from cells on disk: $kind', async (fields) => {
    const { version, interval, start, end } = signalStudy
    const { lab, store, request } = await openCache((opened, dataDir) => {
      cacheFiles(opened, dataDir, all)
      storeUniverse(opened)
    })
    const asked = request({}, { universe: { size: 20 } })
    const { source: from } = asked.document
    const study = { ...asked, document: { version, interval, start, end, ...fields, source: from } }
    const blocks = openLab(store, null, { mostMemoryBytes: 0 })
    const whole = resultOf(await lab.run(study, options))
    expect(whole.data.rows).toBeGreaterThan(5000)
    expect(resultOf(await blocks.run(study, options))).toEqual(whole)
    const { signal } = options
    for (const query of [{ kind: 'coverage' as const }, { kind: 'paths' as const }]) {
      if (query.kind === 'paths' && fields.kind !== 'events') continue
      expect(await blocks.inspect(study, query.kind, {}, signal)).toEqual(
        await lab.inspect(study, query.kind, {}, signal),
      )
    }
    const symbol = {
      symbol: LATE_SYMBOL,
      startMs: Date.UTC(2026, 6, 1),
      endMs: Date.UTC(2026, 6, 20),
    }
    expect(await blocks.inspect(study, 'symbol', symbol, signal)).toEqual(
      await lab.inspect(study, 'symbol', symbol, signal),
    )
  })

  it('finds the same reasons for every cell from cells on disk', async () => {
    const { lab, store, request } = await openCache((opened, dataDir) => cacheFiles(opened, dataDir, all))
    const blocks = openLab(store, null, { mostMemoryBytes: 0 })
    const { signal } = options
    for (const timeMs of [Date.UTC(2026, 5, 10, 1), Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 3, 11)]) {
      const query = { horizon: 6, timeMs }
      const section = await lab.inspect(request(), 'section', query, signal)
      expect(await blocks.inspect(request(), 'section', query, signal)).toEqual(section)
    }
  })

  async function openCache(fill: (store: Store, dataDir: string) => void) {
    const dataDir = dataFolder()
    const store = openTestStore(dataDir)
    fill(store, dataDir)
    const lab = openLab(store)
    const request = (fields: object = {}, from: object = {}) => ({
      document: { ...signalStudy, ...fields, source: { ...source, ...from } },
      panelPath: null,
      againstPath: null,
    })
    return { store, dataDir, lab, request }
  }

  const [first] = all
  const oneVenue = { exchanges: ['venuea-futures'] }

  it('counts the files that are not here and says how to download them', async () => {
    const { lab, request } = await openCache((store, dataDir) => {
      const isLate = ({ time }: MarketRow) => time >= Date.UTC(2026, 6, 1)
      cacheFiles(
        store,
        dataDir,
        all.map((market) => (market === first ? { ...market, rows: market.rows.filter(isLate) } : market)),
      )
    })
    const asked = request({ signal: 'ohlcv.volume' }, oneVenue)
    const { data, warnings } = resultOf(await lab.run(asked, options))
    const june = 21 * 24
    expect(data.notDownloaded).toEqual({ files: 1, cells: june })
    expect(warnings.map(({ code }) => code)).toEqual(['duplicate-rows', 'not-downloaded'])
    const facts = await lab.cacheFacts(asked)
    expect(facts).toMatchObject({
      symbols: ['BTC', 'ETH', 'SOL'].map((base) => `venuea-futures/perpetual-${base}-USDT:USDT`),
    })
    expect(await lab.missingFiles(asked)).toMatchObject({
      missing: [
        { dataset: 'ohlcv', exchange: first.exchange, symbol: first.symbol, period: '2026-06', isLocked: false },
      ],
      requests: [{ symbols: [first.symbol], intervals: ['1h'], startDay: '2026-06-01', endDay: '2026-06-30' }],
    })
  })

  it('says which files to download where only those of a longer interval are here', async () => {
    const { lab, request } = await openCache((store, dataDir) => cacheFiles(store, dataDir, all.slice(0, 1)))
    const asked = request({ interval: '15m', signal: 'ohlcv.volume' }, { ...oneVenue, symbols: [first.symbol] })
    const refused = await lab.run(asked, options)
    expect('message' in refused && refused.message).toMatch(/no rows of ohlcv at 15m .* \d+ files of this range can be/)
    expect(await lab.missingFiles(asked)).toMatchObject({
      requests: [{ datasets: ['ohlcv'], symbols: [first.symbol], intervals: ['15m'] }],
    })
  })

  it('lets a guarded process check a file that somebody replaced in the cache, and names one that is damaged', async () => {
    const { store, request } = await openCache((opened, dataDir) => cacheFiles(opened, dataDir, all))
    const { start, tasks } = recordedProcesses()
    const pool = createValidationPool(1, { start })
    onTestFinished(() => pool.close())
    const openChangedFiles = () => createChangedFiles((path, deep) => pool.validate(path, undefined, deep))
    const asked = request({ signal: 'ohlcv.volume' }, oneVenue)
    resultOf(await openLab(store, openChangedFiles()).run(asked, options))
    expect(tasks).toEqual([])
    const series = { ...flowSeries(), dataset: 'ohlcv', interval: '1h', connectionId: 'sandbox' }
    const path = store.folder.pathOf({ ...series, exchange: first.exchange, symbol: first.symbol }, '2026-07')
    writeFileSync(path, new Uint8Array(10_000).fill(0xff))
    expect(await openLab(store, openChangedFiles()).run(asked, options)).toEqual({
      refused: 'panel',
      message: expect.stringMatching(/2026-07.*not a Parquet file/) as string,
    })
    expect(tasks).toEqual([expect.stringContaining(path)])
  })

  it('reads a day from its own file where the month is here too', async () => {
    const { lab, request } = await openCache((store, dataDir) => {
      cacheFiles(store, dataDir, all)
      const name = { ...first, connectionId: 'sandbox', kind: 'metrics' as const, dataset: 'ohlcv', interval: '1h' }
      const { connectionId, kind, dataset, exchange, symbol, interval } = name
      const times = BigInt64Array.from({ length: 24 }, (_, hour) => BigInt(Date.UTC(2026, 6, 10, hour)))
      addCachedFile(
        store,
        dataDir,
        { connectionId, kind, dataset, exchange, symbol, interval, timestamp: 'exchange' },
        '2026-07-10',
        [
          { name: 'time', type: 'INT64', data: times },
          { name: 'close', type: 'DOUBLE', data: new Float64Array(24).fill(7) },
          { name: 'volume', type: 'DOUBLE', data: new Float64Array(24).fill(1) },
        ],
      )
    })
    const study = { ...request({}, { ...oneVenue, symbols: [first.symbol] }) }
    const { document } = study
    const { version, interval, source: from } = document
    const asked = {
      version,
      interval,
      source: from,
      kind: 'seasonality',
      value: 'ohlcv.close',
      start: '2026-07-10',
      end: '2026-07-10',
    }
    const result = resultOf(await lab.run({ ...study, document: asked }, options))
    expect(result).toMatchObject({ data: { rows: 24, duplicates: 0 }, mean: 7 })
  })

  it('warns of units that differ and of modelled times, compares both clocks, and breaks the rank IC down', async () => {
    const { store, lab, request } = await openCache((opened, dataDir) => {
      cacheFiles(opened, dataDir, all)
      cacheFiles(opened, dataDir, all, 'true')
    })
    const days = Int32Array.from({ length: 120 }, (_, at) => UNIVERSE_FROM + at)
    const values = Float64Array.from(days, (day) => (day < dayNumberOf('2026-07-01') ? 0.2 : 0.8))
    const fetched = { fetchedAtMs: Date.UTC(2026, 7, 4), source: 'http://service', problems: [] }
    const key = { connectionId: 'sandbox', endpoint: 'regime', query: 'overlay=core' }
    store.portfolio.saveDays(
      key,
      { start: UNIVERSE_FROM, end: LAST_DAY + 1 },
      { days, columns: ['value'], values },
      fetched,
    )
    const by = {
      regime: { overlay: 'core', cuts: [0.5] },
      groups: { pair: [`${first.exchange}/${first.symbol}`, 'perpetual-ETH-USDT:USDT'] },
    }
    const result = resultOf(await lab.run(request({}, { against: 'true', by }), options))
    expect(result.warnings.map(({ code }) => code)).toContain('mixed-units')
    expect(result.warnings.map(({ message }) => message).join(' ')).toContain('contracts on venueb-perps')
    if (!('comparison' in result) || result.comparison === null) throw new Error('There is no comparison.')
    expect(result.comparison.horizons[0].difference.nonOverlapping).toMatchObject({ mean: 0, sd: 0 })
    const [horizon] = result.horizons
    expect(horizon.byRegime?.map(({ key: regime }) => regime)).toEqual([0, 1])
    const times = horizon.byRegime?.reduce((sum, { n }) => sum + n, 0)
    expect(times).toBe(horizon.series.rank.filter((value) => value !== null).length)
    expect(horizon.byGroup).toMatchObject([{ key: 'pair' }])
    expect(horizon.byGroup?.[0].n).toBeGreaterThan(1000)
  })

  it.each([
    ['signal', { signal: 'close' }, 'study', 'signal: close names no dataset'],
    ['cache', { signal: 'funding.funding_rate' }, 'panel', 'The cache has no rows of funding at 1h'],
    ['signal', { signal: 'olhcv.close' }, 'study', 'there is no dataset olhcv'],
    ['signal', { signal: 'sma(ohlcv.clsoe, 3)' }, 'study', 'ohlcv.clsoe'],
    ['price', { price: 'ohlcv.close +' }, 'study', 'price: '],
    ['interval', { interval: '4h' }, 'panel', 'no rows of ohlcv at 4h'],
  ])('refuses a bad %s of %o', async (_field, fields, refused, message) => {
    const { lab, request } = await openCache((store, dataDir) => cacheFiles(store, dataDir, all.slice(0, 3)))
    const answer = await lab.run(request(fields), options)
    expect(answer).toMatchObject({ refused })
    expect('message' in answer && answer.message).toContain(message)
  })

  it('reads a column of each symbol at the interval of the study, or else at the shortest longer one', async () => {
    const spreads = [
      { ...all[0], interval: '1h', hours: 1, level: 1 },
      { ...all[0], interval: '4h', hours: 4, level: 1000 },
      { ...all[1], interval: '4h', hours: 4, level: 3 },
      { ...all[1], interval: '1d', hours: 24, level: 2000 },
      { ...all[2], interval: '1d', hours: 24, level: 2 },
    ]
    const { lab, store, request } = await openCache((opened, folder) => {
      cacheFiles(opened, folder, all.slice(0, 4))
      for (const { exchange, symbol, interval, hours, level } of spreads) {
        const rows = Array.from({ length: (64 * 24) / hours }, (_, at) => ({
          time: FIRST_DAY * MS_PER_DAY + at * hours * HOUR_MS,
          spread_bps_avg: level + at / 1e6,
        }))
        const columns = ['spread_bps_avg']
        addMetricFiles(opened, folder, { dataset: 'l1_liquidity', exchange, symbol, interval, columns, rows }, periods)
      }
    })
    const asked = request({ signal: 'l1_liquidity.spread_bps_avg', quantiles: 2 })
    const result = resultOf(await lab.run(asked, options))
    expect(resultOf(await openLab(store, null, { mostMemoryBytes: 0 }).run(asked, options))).toEqual(result)
    const query = { horizon: 1, timeMs: Date.UTC(2026, 6, 1, 6) }
    const { rows } = (await lab.inspect(asked, 'section', query, options.signal)) as Section
    expect(rows.map(({ signal }) => signal && Math.floor(signal))).toEqual([1, 3, 2, null])
    const { missing } = (await lab.missingFiles(asked)) as { missing: { dataset: string; interval: string }[] }
    expect(missing.filter(({ dataset }) => dataset === 'l1_liquidity').map(({ interval }) => interval)).toEqual(
      periods.map(() => '1h'),
    )
  })

  it('writes a panel that gives the same result', async () => {
    const { lab, request, dataDir } = await openCache((store, folder) => cacheFiles(store, folder, all))
    const path = join(dataDir, 'written.parquet')
    const cached = resultOf(await lab.run(request(), options))
    expect(await lab.writePanel(request(), path, options)).toMatchObject({ written: { path } })
    const filed = resultOf(await lab.run({ document: signalStudy, panelPath: path, againstPath: null }, options))
    if (!('horizons' in cached) || !('horizons' in filed)) throw new Error('There are no horizons.')
    expect(filed.horizons).toEqual(cached.horizons)
  })
})
