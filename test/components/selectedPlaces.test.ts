import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { frameRows } from '../../renderer/tables/frameRows.ts'
import { EVERYTHING, selectOnly } from '../../renderer/tables/selection.ts'
import { readAddress, type CoverageAddress, keyNames } from '../../renderer/views/coverage/coverageAddress.ts'
import { chartedSeries, selectedPlaces } from '../../renderer/views/coverage/selectedPlaces.ts'
import { rowKeyReader, rowKeys } from '../../renderer/views/coverage/symbolFrame.ts'
import { draftOf, symbolsOfState } from '../../renderer/views/downloads/draft.ts'
import { downloadLink } from '../../renderer/widgets/seriesLinks.ts'

const frame: Frame = {
  rows: 3,
  columns: [
    textColumn('dataset', ['liquidations', 'trades', 'quotes']),
    textColumn('exchange', ['v1', 'v1', 'v2']),
    textColumn('symbol', ['C', 'A', 'A']),
    numberColumn('days', [1, 2, 3]),
  ],
}
const raw = readAddress({})
const metrics = readAddress({ kind: 'metrics', dataset: 'flow', interval: '1m' })
const arranged = (text: string, { kind }: CoverageAddress) => {
  const sort = [{ key: 'days', descending: true }]
  const source = frameRows(frame, { idOf: rowKeyReader(frame, keyNames(kind)) })
  return source.arrange({ text, conditions: [], sort }, new AbortController().signal)
}
const keys = rowKeys(frame, keyNames('raw'))

describe('the chosen rows of the coverage', () => {
  it('come in the order of the table, those that a filter hides last', async () => {
    const places = selectedPlaces(await arranged('v1', raw), selectOnly([keys[2], keys[0], keys[1]]), raw)
    expect(places.map(({ dataset }) => dataset)).toEqual(['trades', 'liquidations', 'quotes'])
  })

  it('are all that are shown where everything is chosen, less the ones taken out', async () => {
    expect(selectedPlaces(await arranged('v1', metrics), EVERYTHING, metrics)).toEqual([
      { dataset: 'flow', exchange: 'v1', symbol: 'A' },
      { dataset: 'flow', exchange: 'v1', symbol: 'C' },
    ])
    const but = { everything: true, ids: new Set([keys[1]]) }
    expect(selectedPlaces(await arranged('v1', raw), but, raw)).toEqual([
      { dataset: 'liquidations', exchange: 'v1', symbol: 'C' },
    ])
  })

  it('chart the metric that is made of raw events, each series once', () => {
    const place = { exchange: 'v1', symbol: 'A' }
    const charted = chartedSeries(raw, [
      { dataset: 'trades', ...place },
      { dataset: 'trades', ...place },
      { dataset: 'nobody knows it', exchange: 'v2', symbol: 'A' },
    ])
    expect(charted).toEqual([
      { dataset: 'ohlcv', ...place, interval: '1h', timestamp: 'exchange' },
      { dataset: 'ohlcv', exchange: 'v2', symbol: 'A', interval: '1h', timestamp: 'exchange' },
    ])
    expect(chartedSeries(metrics, [{ dataset: 'flow', ...place }])[0].interval).toBe('1m')
  })

  it('reach the composer, however many they are', () => {
    const now = Date.parse('2026-09-15')
    const place = (symbol: string) => ({ dataset: 'trades', exchange: 'v1', symbol })
    const few = downloadLink('raw', [place('A'), place('B')]) as { query: Record<string, string> }
    expect(draftOf(few.query, now, null)).toMatchObject({ kind: 'raw', datasets: ['trades'], symbols: ['A', 'B'] })
    const names = Array.from({ length: 5000 }, (_, at) => `S${at}`)
    const many = downloadLink('metrics', names.map(place)) as { query: Record<string, string>; state: object }
    expect(JSON.stringify(many.query).length).toBeLessThan(100)
    expect(draftOf(many.query, now, null, symbolsOfState(many.state)).symbols).toEqual(names)
    expect(symbolsOfState(null)).toEqual([])
  })
})
