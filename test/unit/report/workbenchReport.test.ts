import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { expect, it } from 'vitest'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { chartHtml, startsAtZero } from '#shared/report/chartHtml.ts'
import { workbenchReport, type ReportedSeries } from '#shared/report/workbenchReport.ts'
import type { SeriesStyle } from '#shared/workspace/chartStyle.ts'
import { addSeries, changeSeries, fillSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { chartFigure } from '../../../renderer/charts/small/chartFigure.ts'
import { figureSvg } from '../../../renderer/export/figureSvg.ts'
import { greyColours } from '../charts/chartColours.ts'

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
    notes: ['cumsum(a) from 2026-07-03 08:00 UTC', 'rows are counted several times'],
    problem: null,
    inputs: {},
    points: { kind: 'rows', frame },
  }
  const none = { first: null, last: null, min: null, max: null, mean: null, deviation: null, unit: 'price' }
  const statistics = { rows: 0, missing: 0, ...none, quantiles: Array<null>(7).fill(null) }
  const entry = allSeries(document)[1]
  const formula = { entry, evaluated, statistics, candles: null } as unknown as ReportedSeries
  const { warnings, parts } = workbenchReport(
    { name: '', document, startMs: Date.UTC(2026, 6, 1), endMs: Date.UTC(2026, 8, 1) } as never,
    [formula],
    new Map(),
    () => [
      { fromMs: -Infinity, size: 0.1 },
      { fromMs: Date.UTC(2026, 6, 1), size: 0.5 },
      { fromMs: Date.UTC(2026, 7, 1, 12), size: 5 },
      { fromMs: Date.UTC(2026, 8, 1), size: 50 },
    ],
    venuesOfDocuments,
  )
  expect(warnings).toEqual([
    'a * 2: rows are counted several times',
    expect.stringMatching(/^a \* 2: exchange times .* are modelled on venuec-perps/),
    'contract size of perpetual-BTC-USD:USDC on venuec-perps: 0.5 from 2026-07-01, 5 from 2026-08-01 12:00 UTC',
  ])
  // Where a running sum starts is no fault, and stands with the sources.
  expect(parts.at(-1)).toMatchObject({ note: 'a * 2: cumsum(a) from 2026-07-03 08:00 UTC.' })
})

/** Builds the charts of a report on one series of two rows. */
const times = [0, 60_000]
function chartsOf(style: SeriesStyle, candles: ReportedSeries['candles'] = null) {
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
  const { parts } = workbenchReport(
    query,
    [computed as unknown as ReportedSeries],
    new Map(),
    () => [],
    venuesOfDocuments,
  )
  return parts.filter((part) => part.kind === 'chart')
}

it('draws candles and bars as the workbench does, with the numbers of a line', () => {
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

it('draws steps, areas and points as the workbench does, in reports and on boards', () => {
  const drawnIn = (style: SeriesStyle) => {
    const [chart] = chartsOf(style)
    const [mark] = chartFigure(chart).marks
    return {
      paths: chartHtml(chart).match(/<path d="[^"]*" (?:fill="#0c81f9"|fill="none" stroke="#0c81f9")/g)!,
      figure: figureSvg({
        figure: chartFigure(chart),
        title: 'T',
        provenance: 'P',
        widthPx: 400,
        heightPx: 200,
        colours: greyColours,
      }),
      mark,
    }
  }
  const line = drawnIn('line')
  expect(line.paths).toEqual([expect.stringMatching(/^<path d="M[^ML]+L[^L]+" fill="none"/)])

  const step = drawnIn('step')
  // From the first value across to the second, down to it, and on to the end of its interval.
  expect(step.paths).toEqual([expect.stringMatching(/^<path d="M(\S+) (\S+)L\S+ \2L\S+ (\S+)L\S+ \3" fill="none"/)])

  const area = drawnIn('area')
  expect(area.paths).toEqual([
    expect.stringMatching(/fill="#0c81f9"$/),
    expect.stringMatching(/fill="none" stroke="#0c81f9"$/),
  ])
  expect(startsAtZero(chartsOf('area')[0])).toBe(true)
  expect(startsAtZero(chartsOf('line')[0])).toBe(false)

  const points = drawnIn('points')
  expect(points.paths).toEqual([expect.stringMatching(/^<path d="(M[^M]+z){2}" fill="#0c81f9"$/)])

  const figures = [line, step, area, points].map(({ figure }) => figure)
  expect(new Set(figures).size).toBe(4)
  expect([line, step, area, points].map(({ mark }) => mark.y)).toEqual(Array(4).fill(line.mark.y))
})

/** Builds the report of a workspace with these series, each of which has two rows. */
function reportOf(
  document: WorkspaceDocument,
  values: Readonly<Record<string, [number, number]>>,
  statistics: Partial<ReportedSeries['statistics']> = {},
  distributions: Parameters<typeof workbenchReport>[2] = new Map(),
) {
  const computed = allSeries(document).map((entry) => ({
    entry,
    candles: null,
    statistics: { quantiles: [], ...statistics },
    evaluated: {
      ...{ unit: 'price', unitWarnings: [], notes: [], problem: null, inputs: {} },
      points: {
        kind: 'rows',
        stepMs: 60_000,
        frame: { rows: 2, columns: [timeColumn('time', times), numberColumn('value', values[entry.name])] },
      },
    },
  }))
  const query = { name: '', document, startMs: 0, endMs: 120_000 } as never
  return workbenchReport(query, computed as unknown as ReportedSeries[], distributions, () => [], venuesOfDocuments)
    .parts
}
const chartOf = (parts: ReturnType<typeof reportOf>) => parts.find((part) => part.kind === 'chart')!
const pictureOf = (chart: ReturnType<typeof chartOf>) =>
  figureSvg({
    ...{ figure: chartFigure(chart), title: 'T', provenance: 'P', widthPx: 400, heightPx: 200, colours: greyColours },
  })
const close = { ...source, dataset: 'ohlcv', column: 'close' }

it('shades all charts where a condition holds, with its share and spells, in reports and on boards', () => {
  const priced = addSeries(emptyDocument(), null, { source: close })
  const { document } = addSeries(priced.document, priced.paneId, {
    source: { kind: 'formula', formula: 'a > 10' },
    style: 'shade',
  })
  const parts = reportOf(document, { a: [11, 10], b: [1, 0] }, { mean: 0.5, spells: 1, rows: 2, missing: 0 })
  const chart = chartOf(parts)
  expect(chart.series).toHaveLength(1)
  const html = chartHtml(chart)
  // The first of two minutes, which is on, takes all of the plot: its times end where the last row begins.
  expect(html).toMatch(/<path d="M70 10h678v196h-678z" fill="#c18000" fill-opacity="0.2"/)
  expect(html).toContain('a &gt; 10, 50.0 % of the time, 1 spell')
  expect(pictureOf(chart)).toContain('a &gt; 10, 50.0 % of the time, 1 spell')
  expect(parts).toContainEqual(
    expect.objectContaining({
      title: 'Conditions',
      rows: [
        [
          'a > 10',
          { value: 0.5, text: expect.any(String) as string },
          expect.anything(),
          expect.anything(),
          expect.anything(),
        ],
      ],
    }),
  )
  const statistics = parts.find((part) => part.kind === 'table' && part.title === 'Statistics of the range')
  expect(statistics).toMatchObject({ rows: [expect.arrayContaining([expect.stringContaining('Close')])] })
})

it('fills a line to zero and to another line, in reports and on boards', () => {
  const priced = addSeries(emptyDocument(), null, { source: close })
  const { document: both } = addSeries(priced.document, priced.paneId, {
    source: { kind: 'formula', formula: 'a * 2' },
  })
  const values: Record<string, [number, number]> = { a: [5, -5], b: [-5, 5] }
  const fillsOf = (document: WorkspaceDocument) => {
    const chart = chartOf(reportOf(document, values))
    const tints = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, tint]) => tint)
    return [
      tints(chartHtml(chart), /fill="(#\w+)" fill-opacity="0.22"/g),
      tints(pictureOf(chart), /fill="(#\w{6})38"/g).length,
    ]
  }
  expect(fillsOf(both)).toEqual([[], 0])
  expect(fillsOf(fillSeries(both, 's1', { to: 'zero' }))).toEqual([['#1a7f5a', '#b3382c'], 2])
  expect(fillsOf(fillSeries(both, 's1', { to: 'series', series: 's2' }))).toEqual([['#0c81f9', '#c18000'], 2])
  expect(fillsOf(fillSeries(both, 's1', { to: 'level', value: 0, unit: 'bps' }))).toEqual([[], 0])
  expect(fillsOf(fillSeries(fillSeries(both, 's1', { to: 'zero' }), 's1', null))).toEqual([[], 0])
  expect(startsAtZero(chartOf(reportOf(fillSeries(both, 's1', { to: 'zero' }), values)))).toBe(true)
})

it('draws rates and formulas in the unit of the workspace, and running sums of funding without a period', () => {
  const rate = { ...source, dataset: 'funding', column: 'funding_rate' }
  const { document } = addSeries(emptyDocument(), null, { source: rate })
  const points = {
    ...{ kind: 'rows', stepMs: 60_000 },
    frame: { rows: 2, columns: [timeColumn('time', times), numberColumn('value', [0.0001, 0.0002])] },
  }
  const evaluated = { unit: 'none', unitWarnings: [], notes: [], problem: null, inputs: {}, points }
  const drawn = (change: Partial<SeriesEntry>) => {
    const shown = changeSeries(document, 's1', change)
    const computed = { entry: allSeries(shown)[0], evaluated, statistics: { quantiles: [] }, candles: null }
    const query = { name: '', document: shown, startMs: 0, endMs: 120_000 } as never
    const each = computed as unknown as ReportedSeries
    const { parts } = workbenchReport(query, [each], new Map(), () => [], venuesOfDocuments)
    return parts.flatMap((part) => (part.kind === 'chart' ? part.series : []))
  }
  expect(drawn({})).toMatchObject([{ unit: 'bps per funding period', values: Float64Array.of(1, 2) }])
  expect(drawn({ transform: 'settledSum' })).toMatchObject([{ unit: 'bps', values: Float64Array.of(1, 2) }])
  const formula = { source: { kind: 'formula', formula: 'settled(funding.funding_rate)' } } as const
  expect(drawn(formula)).toMatchObject([{ unit: 'bps', values: Float64Array.of(1, 2) }])
  expect(drawn({ ...formula, unit: 'percent' })).toMatchObject([{ unit: '%', values: Float64Array.of(0.01, 0.02) }])
})
