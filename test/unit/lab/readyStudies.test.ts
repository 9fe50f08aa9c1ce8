import { documentedColumn, namedDatasets } from '#shared/lab/cacheColumns.ts'
import { buildPanel } from '#shared/lab/panel.ts'
import { evaluateOnPanel } from '#shared/lab/panelFormula.ts'
import { cacheNeeds, cacheTestOf } from '#core/lab/portfolio/cacheTest.ts'
import { parsePortfolioStudy } from '#shared/lab/portfolio/parsePortfolioStudy.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { readyStudiesOn, withTopByVolume } from '#shared/lab/readyStudies.ts'
import { formulasOf } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, rowsOf } from '../../fakes/panelWorld.ts'

const { studies: readyStudies, test: readyTest } = readyStudiesOn('heron-perps')

describe('the ready-made studies', () => {
  it.each(readyStudies)('$id can be run over 40 symbols and 90 days', ({ document }) => {
    const study = parseStudy(document, { fromCache: true })
    const { startMs, endMs } = studyRange(study)
    expect((endMs - startMs) / MS_PER_DAY).toBeGreaterThanOrEqual(90)
    expect(study.source?.symbols?.length).toBeGreaterThanOrEqual(40)
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

  it('are eight', () => {
    expect(new Set(readyStudies.map(({ id }) => id)).size).toBe(8)
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
