import { textColumn } from '#shared/contract/frame.ts'
import { documentedColumn, namedDatasets } from '#shared/lab/cacheColumns.ts'
import { buildPanel } from '#shared/lab/panel.ts'
import { evaluateOnPanel } from '#shared/lab/panelFormula.ts'
import { cacheNeeds, cacheTestOf } from '#core/lab/portfolio/cacheTest.ts'
import { formulasOf, groupOf, kindOf } from '#shared/lab/kinds.ts'
import { parsePortfolioStudy, parseStudy } from '#shared/lab/parseStudy.ts'
import { leadingSymbol, symbolsWithCandles } from '#shared/lab/kinds/readyGround.ts'
import { readyStudiesOn, withTopByVolume } from '#shared/lab/readyStudies.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, rowsOf } from '../../fakes/panelWorld.ts'

const { studies: readyStudies, test: readyTest } = readyStudiesOn({
  venue: 'heron-perps',
  nowMs: Date.UTC(2026, 7, 15),
})
const isAlong = ({ document }: (typeof readyStudies)[number]) => groupOf(kindOf(document) ?? 'signal') === 'Along time'
const windowed = readyStudies.filter(({ document: { kind } }) => kind === 'series' || kind === 'spells')
const acrossSymbols = readyStudies.filter((one) => !isAlong(one))

describe('the ready-made studies', () => {
  it.each([
    ['2026-08-01T00:00:00Z', '2026-05-01', '2026-07-31'],
    ['2027-01-31T23:59:59Z', '2026-10-01', '2026-12-31'],
    ['2028-03-15T12:00:00Z', '2027-12-01', '2028-02-29'],
  ])('cover the last three full months before %s', (now, start, end) => {
    const { studies, test } = readyStudiesOn({ venue: 'heron-perps', nowMs: Date.parse(now) })
    for (const { id, document } of [...studies, test]) expect(document, id).toMatchObject({ start, end })
  })

  it('begin with the documented symbol where it is listed, and with the first perpetual elsewhere', () => {
    const documented = 'perpetual-BTC-USDT:USDT'
    expect(leadingSymbol([])).toBe(documented)
    expect(leadingSymbol(['perpetual-AAA-USDC:USDC', documented])).toBe(documented)
    const leader = leadingSymbol(['spot-AAA-USDC', 'perpetual-XYZ-USDC:USDC', 'perpetual-ZZZ-USDC:USDC'])
    const { studies } = readyStudiesOn({ venue: 'heron-perps', nowMs: Date.UTC(2026, 7, 15), leader })
    const along = studies.filter(isAlong)
    expect(along.length).toBeGreaterThan(6)
    for (const { document } of along) expect(document.source).toMatchObject({ symbols: ['perpetual-XYZ-USDC:USDC'] })
    const costs = along.find(({ id }) => id === 'slippage-model')
    expect(costs?.description).toContain('a trade in XYZ')
    expect(studies.find(({ id }) => id === 'btc-leads-alts')?.document.reference).toBe(
      'heron-perps/perpetual-XYZ-USDC:USDC',
    )
  })

  it.each(readyStudies)('$id can be run over 90 days', ({ document }) => {
    const study = parseStudy(document, { fromCache: true })
    const { startMs, endMs } = studyRange(study)
    expect((endMs - startMs) / MS_PER_DAY).toBeGreaterThanOrEqual(90)
    const columns =
      study.kind === 'clocks'
        ? (study.columns ?? [])
        : namedDatasets(formulasOf(study)).flatMap(({ dataset, columns: names }) =>
            names.map((name) => `${dataset}.${name}`),
          )
    expect(study.source?.symbols?.length).toBeGreaterThanOrEqual(groupOf(study.kind) === 'Along time' ? 1 : 40)
    expect(columns.filter((name) => documentedColumn(name) === null)).toEqual([])
  })

  it.each(windowed)('$id can be run on one symbol over the windows of its formulas', ({ document }) => {
    const study = parseStudy(document, { fromCache: true })
    const { startMs, endMs, intervalMs } = studyRange(study)
    expect((endMs - startMs) / intervalMs).toBeGreaterThan(5 * 2016)
    expect(study.source?.symbols).toHaveLength(1)
    const columns = namedDatasets(formulasOf(study)).flatMap(({ dataset, columns: names }) =>
      names.map((name) => `${dataset}.${name}`),
    )
    expect(columns.filter((name) => documentedColumn(name) === null)).toEqual([])
  })

  it('finds toxic hours although the first hour of a day has no toxicity', () => {
    const world = rowsOf({ seed: 5, symbols: 3, times: 24 * 20 })
    const column = (name: string) => world.columns.get(name) ?? new Float64Array()
    const columns = new Map([
      ['trade_size.large_order_volume', column('a')],
      [
        'flow.flow_toxicity_score',
        column('b').map((value, row) => (world.times[row] % MS_PER_DAY === 0 ? NaN : value)),
      ],
    ])
    const panel = buildPanel({ ...world, columns }, { intervalMs: HOUR_MS, startMs: -Infinity, endMs: Infinity })
    const { document } = readyStudies.find(({ id }) => id === 'toxicity-after-large-trades')!
    const when = evaluateOnPanel(panel, 'when', String(document.when))
    expect(when.filter((value) => !Number.isNaN(value)).length).toBeGreaterThan(1000)
  })

  it('have a tested portfolio beside them, whose costs are documented columns in the units that it needs', () => {
    const { study, formulas } = cacheNeeds(cacheTestOf(parsePortfolioStudy(readyTest.document, { fromCache: true })))
    expect(study.source.symbols?.length).toBeGreaterThanOrEqual(40)
    const names = namedDatasets(formulas).flatMap(({ dataset, columns }) => columns.map((name) => `${dataset}.${name}`))
    expect(names.toSorted()).toEqual([
      'funding.funding_rate',
      'l1_liquidity.spread_bps_avg',
      'ohlcv.close',
      'ohlcv.volume_notional',
      'returns.realized_vol',
    ])
    expect(names.filter((name) => documentedColumn(name) === null)).toEqual([])
  })

  it('read the symbols that are here if they can be ranked', () => {
    const cached = Array.from({ length: 7 }, (_, at) => `perpetual-BIRD${at}-USDT:USDT`)
    const same = { kind: 'metrics', dataset: 'ohlcv', interval: '1h', timestamp: 'exchange' }
    const columns = [
      ...Object.entries(same).map(([name, value]) => textColumn(name, Array(7).fill(value))),
      textColumn(
        'exchange',
        cached.map((_, at) => (at < 4 ? 'heron' : 'ibis')),
      ),
      textColumn('symbol', cached),
    ]
    const series = { rows: 7, columns }
    const symbolsOn = (venue: string, leader = 'perpetual-BTC-USDT:USDT') => {
      const { studies } = readyStudiesOn({
        ...{ venue, leader },
        nowMs: Date.UTC(2026, 7, 15),
        cached: symbolsWithCandles(series, venue),
      })
      return (studies[0].document.source as { symbols: string[] }).symbols
    }
    expect(symbolsOn('heron')).toEqual(cached.slice(0, 4))
    expect(symbolsOn('ibis')).toEqual(cached.slice(4))
    expect(symbolsOn('ibis', cached[4])).toEqual(cached.slice(4))
    expect(symbolsOn('crane')).toHaveLength(42)
  })

  it('are eight across symbols, and have names of their own', () => {
    expect(acrossSymbols).toHaveLength(8)
    expect(new Set(readyStudies.map(({ id }) => id)).size).toBe(readyStudies.length)
  })
})

describe('a universe of the largest volumes', () => {
  it('keeps exactly so many symbols at each time, those with the largest mean volume so far', () => {
    const world = rowsOf({ seed: 3, symbols: 30, times: 60 })
    const volume = world.columns.get('b')!.map(Math.abs)
    const columns = new Map([...world.columns, ['ohlcv.volume_notional', volume]])
    const range = { intervalMs: HOUR_MS, startMs: -Infinity, endMs: Infinity }
    const panel = buildPanel({ ...world, columns }, range)
    const kept = evaluateOnPanel(panel, 'signal', withTopByVolume('a', 7, 20))
    const means = evaluateOnPanel(panel, 'signal', 'sma(ohlcv.volume_notional, 20, 10)')
    for (let time = 20; time < 60; time++) {
      const row = kept.subarray(time * 30, (time + 1) * 30)
      const largest = [...means.subarray(time * 30, (time + 1) * 30).entries()]
        .sort(([, x], [, y]) => y - x)
        .slice(0, 7)
      const places = [...row.keys()].filter((at) => !Number.isNaN(row[at]))
      expect(places).toEqual(largest.map(([at]) => at).sort((x, y) => x - y))
    }
  })
})
