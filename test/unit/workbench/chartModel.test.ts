import { combineVenues, venuesOfDocuments } from '#shared/catalog/venues.ts'
import { describe, expect, it } from 'vitest'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import type { CoverageRange, OverviewPoints } from '#shared/contract/areas/series.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { addSeries, changeSeries } from '#shared/workspace/edit.ts'
import { documentOf, shownSeries } from '#shared/workspace/shownSeries.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import type { ColumnSource, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { paneView } from '../../../renderer/charts/paneView.ts'
import { valueText } from '../../../renderer/charts/readout.ts'
import { type CatalogFacts, chartModel } from '../../../renderer/views/workbench/chartModel.ts'
import { chartProvenance } from '../../../renderer/views/workbench/chartProvenance.ts'
import type { LoadedSeries, LoadedPart } from '../../../renderer/views/workbench/seriesData.ts'

const HOUR = 3_600_000
const datasets = knownDatasets(null)
const link = JSON.stringify([
  {
    dataset: 'flow',
    column: 'volume_delta',
    exchange: 'v-perps',
    symbol: 'perpetual-龙-USDT:USDT',
    interval: '1h',
    timestamp: 'exchange',
  },
])
const close = shownSeries(link)![0]

const rows = (column: string, values: (number | null)[]): OverviewPoints => ({
  kind: 'rows',
  binMs: null,
  stepMs: HOUR,
  frame: {
    rows: values.length,
    columns: [
      timeColumn(
        'time',
        values.map((_, at) => at * HOUR),
      ),
      numberColumn(column, values),
    ],
  },
})
const coverageRange = (startMs: number, endMs: number, state: CoverageRange['state'] = 'cached'): CoverageRange => ({
  startMs,
  endMs,
  state,
  isLocked: false,
  isQueued: false,
})

function part(column: string, values: (number | null)[], more: Partial<LoadedPart> = {}): LoadedPart {
  const range = { startMs: 0, endMs: values.length * HOUR }
  const rest = {
    coverage: [coverageRange(0, range.endMs)],
    unread: [],
    absentColumns: [],
    files: [],
    unit: null,
    unitWarnings: [],
    notes: [],
    edges: [],
  }
  return { ...range, points: rows(column, values), ...rest, ...more }
}

function modelOf(
  document: WorkspaceDocument,
  loaded: Record<string, Partial<LoadedSeries>>,
  catalog: CatalogFacts = { datasets, venueFacts: venuesOfDocuments },
) {
  const nothing: LoadedSeries = { whole: null, detail: null, error: null, problem: null }
  return chartModel({
    document,
    name: 'Basis',
    catalog,
    loadedOf: (id) => ({ ...nothing, ...loaded[id] }),
    extent: { startMs: 0, endMs: 4 * HOUR },
    view: { startMs: 0, endMs: 4 * HOUR },
    shading: [],
    zone: 'utc',
  })
}

describe('what the chart shows of a workspace', () => {
  it('names a series by its formula name, and has the unit and kind of its column', () => {
    const [series] = modelOf(documentOf([close]), { s1: { whole: part('volume_delta', [1, null, 3, 4]) } }).panes[0]
      .series
    expect(series).toMatchObject({
      label: 'a  Volume delta · 龙 · v · 1h',
      unit: 'amount on v-perps (unit not known)',
      kind: 'volume',
      valid: Uint8Array.of(1, 0, 1, 1),
    })
  })

  it('shows a column of the service in the unit that the service gives it, and an unknown unit without one', () => {
    const served = { id: 'maker_fills', name: 'Maker fills', description: '', category: '' }
    const field = (name: string, unit?: string) => ({ name, label: '', description: '', unit })
    const fields = [field('passive', 'share'), field('delay', 'us'), field('fee', 'USD per fill'), field('silent')]
    const servedUnits = fields.flatMap(({ name: column, unit }) => (unit ? [{ dataset: served.id, column, unit }] : []))
    const catalog = {
      datasets: knownDatasets([{ ...served, fields }]),
      venueFacts: combineVenues({ typed: [], catalog: [], seen: [], servedUnits }),
    }
    const shown = fields.map(({ name: column }) => {
      const document = documentOf([{ ...close, dataset: served.id, column }])
      const model = modelOf(document, { s1: { whole: part(column, [0.25, 0.5]) } }, catalog)
      const { label, unit, kind } = model.panes[0].series[0]
      const { series } = paneView(model.panes[0], { startMs: 0, endMs: 2 * HOUR }, 100, 100)
      return [label.split(' · ')[0], unit, kind, valueText(series[0], 0.25)]
    })
    expect(shown).toEqual([
      ['a  passive', 'none', 'fraction', '0.2500 fraction'],
      ['a  delay', 'µs', 'duration', '0.2500 µs'],
      ['a  fee', 'USD per fill', 'statistic', '0.25000 USD per fill'],
      ['a  silent', 'unit unknown', 'statistic', '0.25000 unit unknown'],
    ])
  })

  it('says a column that the files do not have, and nothing is missing while it is on its way', () => {
    const document = documentOf([close])
    const gone = modelOf(document, { s1: { whole: part('volume_delta', [], { absentColumns: ['volume_delta'] }) } })
    expect(gone.panes[0].series[0].badges).toEqual(['no column volume_delta in the files'])
    const coming = modelOf(document, {}).panes[0]
    expect(coming.series[0].isPending).toBe(true)
    expect(paneView(coming, { startMs: 0, endMs: HOUR }, 100, 100).warnings).toEqual([])
  })

  it('shades what is not downloaded and what cannot be read, also behind a formula that is made of it', () => {
    const added = addSeries(documentOf([close]), null, { source: { kind: 'formula', formula: 'a * 2' } })
    const coverage = [
      coverageRange(0, HOUR),
      coverageRange(HOUR, 2 * HOUR, 'available'),
      coverageRange(2 * HOUR, 4 * HOUR),
    ]
    const unread = [{ startMs: 3 * HOUR, endMs: 4 * HOUR, message: '2026-08.parquet is damaged' }]
    const whole = part('volume_delta', [1, 2, 3, 4], { coverage, unread })
    const { bands, coverage: strip } = modelOf(added.document, { s1: { whole } })
    expect(bands.map(({ paneId, startMs, endMs, label }) => [paneId, startMs / HOUR, endMs / HOUR, label])).toEqual(
      ['p1', 'p2'].flatMap((pane) => [
        [pane, 1, 2, 'Not downloaded: Volume delta · 龙 · v · 1h'],
        [pane, 3, 4, 'Volume delta · 龙 · v · 1h cannot be read: 2026-08.parquet is damaged'],
      ]),
    )
    expect(strip.map(({ state }) => state)).toEqual(['cached', 'available', 'cached'])
  })

  it('offers no download of what is in the queue already, and does not call it missing', () => {
    const coverage = [{ ...coverageRange(0, 4 * HOUR, 'available'), isQueued: true }]
    const model = modelOf(documentOf([close]), { s1: { whole: part('volume_delta', [], { coverage }) } })
    expect(model.bands.map(({ isQueued, label }) => [isQueued, label])).toEqual([
      [true, 'In the download queue: Volume delta · 龙 · v · 1h'],
    ])
    expect(paneView(model.panes[0], { startMs: 0, endMs: HOUR }, 100, 100).warnings).toEqual([])
  })

  it('leaves to the rows what is made row by row, and says so', () => {
    const document = changeSeries(documentOf([close]), 's1', { transform: 'difference' })
    const [series] = modelOf(document, { s1: { whole: part('value', [1, 2]) } }).panes[0].series
    expect(series).toMatchObject({ transform: 'none', badges: ['difference'], values: Float64Array.of(1, 2) })
  })

  it('says in the clock lens, and below a picture, that one of the two clocks is modelled', () => {
    const link = { dataset: 'basis', column: 'basis', symbol: close.symbol, interval: '1h' }
    const lensOf = (exchange: string) => {
      const first = documentOf([{ ...close, ...link, exchange, timestamp: 'exchange' }])
      const [{ source }] = allSeries(first)
      const twin = addSeries(first, null, { source: { ...(source as ColumnSource), timestamp: 'true' } })
      return addSeries(twin.document, null, { source: { kind: 'formula', formula: 'a - b' } }).document
    }
    const areModelled = (texts: readonly string[]) => texts.map((text) => /are modelled on venuec-perps/.test(text))
    const badgesOf = (document: WorkspaceDocument) =>
      modelOf(document, {}).panes.flatMap(({ series }) => series.map(({ badges }) => badges?.join() ?? ''))
    const provenanceOf = (document: WorkspaceDocument) =>
      chartProvenance(
        document,
        () => ({ whole: null, detail: null, error: null, problem: null }),
        'Desk',
        {
          contractSizes: () => [],
          venues: venuesOfDocuments,
        },
        'brief',
      )
        .split('\n')
        .slice(1)
    expect(areModelled(badgesOf(lensOf('venuec-perps')))).toEqual([true, false, true])
    expect(areModelled(provenanceOf(lensOf('venuec-perps')))).toEqual([true, false, true])
    expect(areModelled(badgesOf(lensOf('venuea-futures')))).toEqual([false, false, false])
  })

  it('names below a picture the contract size behind a formula, and the hidden series it is made of', () => {
    const first = documentOf([close])
    const added = addSeries(first, null, { source: { kind: 'formula', formula: 'inquote(a, a)' } })
    const document = changeSeries(added.document, 's1', { hidden: true })
    const nothing = { whole: null, detail: null, error: null, problem: null }
    const [, input, formula] = chartProvenance(
      document,
      () => nothing,
      'Desk',
      {
        contractSizes: () => [
          { fromMs: -Infinity, size: 0.001 },
          { fromMs: Date.UTC(2026, 6, 1), size: 0.01 },
        ],
        venues: venuesOfDocuments,
      },
      'brief',
    ).split('\n')
    expect(input).toMatch(/^a: .*, hidden, .*contract size 0\.001, 0\.01 from 2026-07-01/)
    expect(formula).toMatch(`contract size of ${close.symbol} on ${close.exchange} 0.001, 0.01 from 2026-07-01`)
  })

  it('names below a picture three files of a series, or all of them', () => {
    const files = ['a1', 'b2', 'c3', 'd4'].map((sha256, day) => ({
      ...{ period: `2026-07-0${day + 1}`, startMs: 0, endMs: HOUR, sha256, state: 'final' as const, fetchedAt: 0 },
    }))
    const loaded = { whole: { ...part('value', [1]), files }, detail: null, error: null, problem: null }
    const facts = { contractSizes: () => [], venues: venuesOfDocuments }
    const picture = (form: 'brief' | 'full') => chartProvenance(documentOf([close]), () => loaded, 'Desk', facts, form)
    expect(picture('brief')).toContain('4 files, sha256 a1 b2 c3 …')
    expect(picture('full')).toContain('4 files, sha256 a1 b2 c3 d4,')
  })

  it('shows no hidden series and stands without any', () => {
    const document = changeSeries(documentOf([close]), 's1', { hidden: true })
    expect(modelOf(document, {}).panes[0].series).toEqual([])
    expect(modelOf(emptyDocument(), {}).panes).toEqual([])
  })
})

describe('a link', () => {
  it('puts what is the same of several instruments into one pane', () => {
    const other = { ...close, symbol: 'perpetual-BTC-USDT:USDT' }
    expect(documentOf([close, other, { ...close, dataset: 'funding', column: 'funding_rate' }]).panes).toHaveLength(2)
  })

  it.each([
    '',
    'null',
    '[]',
    '[{}]',
    '{"dataset":"flow"}',
    '[{"dataset":"nobody","exchange":"v","symbol":"s","interval":"1h","timestamp":"true"}]',
  ])('of nonsense shows nothing: %s', (text) => expect(shownSeries(text)).toBeNull())
})

describe('a series that shades the panes', () => {
  const priced = addSeries(emptyDocument(), null, { source: close })
  const { document } = addSeries(priced.document, priced.paneId, {
    source: { kind: 'formula', formula: 'a > 1' },
    style: 'shade',
  })
  const loaded = { s1: { whole: part('volume_delta', [1, 2]) }, s2: { whole: part('value', [0, 1, 1, 0]) } }

  it('is no line of its pane, and keeps its stretches through a zoom', () => {
    const model = modelOf(document, loaded)
    expect(model.panes.map(({ series }) => series.map(({ id }) => id))).toEqual([['s1']])
    expect(model.shades).toMatchObject([{ id: 's2', label: 'b  a > 1', share: null }])
    expect([...model.shades![0].spans.from]).toEqual([HOUR])
    expect(modelOf(document, loaded).shades![0].spans).toBe(model.shades![0].spans)
  })

  it('shades nothing while it is hidden', () => {
    const model = modelOf(changeSeries(document, 's2', { hidden: true }), loaded)
    expect(model.shades).toEqual([])
    expect(model.panes[0].hidden).toMatchObject([{ id: 's2' }])
  })
})
