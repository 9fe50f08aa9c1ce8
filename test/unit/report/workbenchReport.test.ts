import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { expect, it } from 'vitest'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { chartHtml } from '#shared/report/chartHtml.ts'
import { workbenchReport, type ReportedSeries } from '#shared/report/workbenchReport.ts'
import { addSeries, changeSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'

const source = {
  ...{ kind: 'column' as const, dataset: 'basis', column: 'basis', exchange: 'venuec-perps', interval: '1h' },
  ...{ symbol: 'perpetual-BTC-USD:USDC', timestamp: 'exchange' as const, resampleTo: '', origin: 'service' as const },
}

it('warns of a formula over a hidden column as of the column itself: modelled times, contract size', () => {
  const column = addSeries(emptyDocument(), null, { source }).document
  const { document: both } = addSeries(column, null, { source: { kind: 'formula', formula: 'a * 2' } })
  const document = changeSeries(both, 's1', { hidden: true })
  const frame = { rows: 0, columns: [timeColumn('time', []), numberColumn('value', [])] }
  const evaluated = {
    unit: 'price',
    unitWarnings: [],
    notes: [],
    problem: null,
    inputs: {},
    points: { kind: 'rows', frame },
  }
  const none = { first: null, last: null, min: null, max: null, mean: null, deviation: null, unit: 'price' }
  const statistics = { rows: 0, missing: 0, ...none, quantiles: Array<null>(7).fill(null) }
  const entry = allSeries(document)[1]
  const formula = { entry, evaluated, statistics, candles: null } as unknown as ReportedSeries
  const { warnings } = workbenchReport(
    { name: '', document, startMs: Date.UTC(2026, 6, 1), endMs: Date.UTC(2026, 8, 1) } as never,
    [formula],
    () => [
      { fromMs: -Infinity, size: 0.1 },
      { fromMs: Date.UTC(2026, 6, 1), size: 0.5 },
      { fromMs: Date.UTC(2026, 7, 1, 12), size: 5 },
      { fromMs: Date.UTC(2026, 8, 1), size: 50 },
    ],
    venuesOfDocuments,
  )
  expect(warnings).toEqual([
    expect.stringMatching(/^a \* 2: exchange times .* are modelled on venuec-perps/),
    'contract size of perpetual-BTC-USD:USDC on venuec-perps: 0.5 from 2026-07-01, 5 from 2026-08-01 12:00 UTC',
  ])
})

it('draws candles and bars as the workbench does, with the numbers of a line', () => {
  const times = [0, 60_000]
  const chartsOf = (style: 'line' | 'bar' | 'candles', candles: ReportedSeries['candles'] = null) => {
    const close = { ...source, dataset: 'ohlcv', column: 'close' }
    const { document } = addSeries(emptyDocument(), null, { source: close, style })
    const points = {
      kind: 'rows',
      stepMs: 60_000,
      frame: { rows: 2, columns: [timeColumn('time', times), numberColumn('value', [11, 10])] },
    }
    const evaluated = { unit: 'price', unitWarnings: [], notes: [], problem: null, inputs: {}, points }
    const computed = { entry: allSeries(document)[0], evaluated, statistics: { quantiles: [] }, candles }
    const query = { name: '', document, startMs: 0, endMs: 120_000 } as never
    const { parts } = workbenchReport(query, [computed as unknown as ReportedSeries], () => [], venuesOfDocuments)
    return parts.filter((part) => part.kind === 'chart')
  }
  const candles = {
    x: Float64Array.from(times),
    open: Float64Array.of(10, 11),
    high: Float64Array.of(14, 11),
    low: Float64Array.of(9, 10),
    close: Float64Array.of(11, 10),
    widthMs: 60_000,
  }
  const [line] = chartsOf('line')
  const [drawn] = chartsOf('candles', candles)
  expect(chartsOf('bar')).toMatchObject([{ style: 'bars' }])
  expect(drawn).toMatchObject({ style: 'line', series: [{ candles, values: Float64Array.of(11, 10) }] })
  const hoverValues = (html: string) => /data-points="[^"]*"/.exec(html)?.[0]
  expect(hoverValues(chartHtml(drawn))).toBe(hoverValues(chartHtml(line)))
  const bodies = [...chartHtml(drawn).matchAll(/<path d="(?:M[^M"]*V[^M"]*){2}M[^"]*z" fill="(\w+|#\w+)"/g)]
  expect(bodies.map(([, fill]) => fill)).toEqual(['none', expect.stringMatching(/^#/)])
})
