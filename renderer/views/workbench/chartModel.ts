import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import { isSqlDataset, sqlColumnLabel } from '#shared/catalog/sqlSeries.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { binFieldName } from '#shared/overview/bins.ts'
import { drawnCandles, type DrawnCandles, drawnRows, type DrawnRows } from '#shared/overview/drawn.ts'
import { flagsIn } from '#shared/overview/flags.ts'
import { type Shade, type ShadeSpans, shadeSpans } from '#shared/overview/shade.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import type { Zone } from '#shared/units/instants.ts'
import { columnKind, columnUnit, UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { kindOfUnit, type NumberKind } from '#shared/units/numberKinds.ts'
import { COMPUTED_LABEL, isComputedHere, shownColumnLabel, sourceLabel } from '#shared/workspace/columnLabels.ts'
import { assumedFundingHours, chosenUnit, displayUnit, formulaKind, shownKind } from '#shared/workspace/displayUnit.ts'
import { usesEarlierRows, isShade } from '#shared/workspace/chartStyle.ts'
import { canBeCandles, isDrawnAsCandles } from '#shared/workspace/candles.ts'
import { columnsBehind, isDrawnAsFlags } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, SeriesEntry, WorkspaceDocument, WorkspacePane } from '#shared/workspace/workspaceSchema.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import {
  type Band,
  type ChartModel,
  type ChartSeries,
  type HiddenSeries,
  lengthMs,
  type MeasureEnds,
  type BinMoments,
  transformLabels,
} from '../../charts/model.ts'
import { workbenchText } from '../../text/workbench.ts'
import { coverageOfAll, isQueuedIn, missingBands } from './chartCoverage.ts'
import { drawnColumn, type LoadedSeries, type LoadedPart, partFor } from './seriesData.ts'

export type ChartedColumn = { label: string; unit: string; kind: NumberKind }

/** What is known of datasets and venues. */
export interface CatalogFacts {
  datasets: readonly KnownDataset[]
  venueFacts: Venues
}

/** Looks up label, unit and kind of a column on a venue; the label of an unknown column is its name. */
export function columnFacts(
  { datasets, venueFacts }: CatalogFacts,
  { dataset, column, exchange }: Pick<ColumnSource, 'dataset' | 'column' | 'exchange'>,
): ChartedColumn {
  const label = datasets.find(({ id }) => id === dataset)?.columns.find(({ name }) => name === column)?.label
  const unit = columnUnit(dataset, column, exchange, venueFacts)
  return {
    label: isSqlDataset(dataset) ? sqlColumnLabel(column) : (label ?? shownColumnLabel(dataset, column)),
    unit: unit ?? UNIT_UNKNOWN,
    kind: columnKind(dataset, column, venueFacts) ?? kindOfUnit(unit) ?? 'statistic',
  }
}

/** Builds the label of a series in legends and lists. */
export function seriesLabel({ label, name, source, style }: SeriesEntry, catalog: CatalogFacts): string {
  if (label) return label
  if (source.kind === 'formula') return source.formula.trim().slice(0, 80) || workbenchText.chart.emptyFormula(name)
  const isCandles = style === 'candles' && canBeCandles({ source })
  return sourceLabel(source, isCandles ? 'OHLC' : columnFacts(catalog, source).label)
}

interface ModelDeps {
  document: WorkspaceDocument
  name: string
  catalog: CatalogFacts
  loadedOf(seriesId: string): LoadedSeries
  extent: TimeRange | null
  view: TimeRange
  shading: readonly Band[]
  /** Figures of the states that shade the panes, over the view, by series id, once they are loaded. */
  shadeFigures?: ReadonlyMap<string, ShadeFigures>
  /** Charts of the panes that show distributions, once their figures are loaded. */
  distributions?: ReadonlyMap<string, readonly ReportChart[]>
  /** Full rows at the ends of measured ranges, by measure id and pane id, once they are loaded. */
  measureEnds?: ReadonlyMap<string, ReadonlyMap<string, MeasureEnds>>
  zone: Zone
}

export type ShadeFigures = Pick<Shade, 'share' | 'spells'>

/** Builds the chart of a document from its loaded series. */
export function chartModel(deps: ModelDeps): ChartModel {
  const { document, name, catalog, loadedOf, extent, view, shading, measureEnds, shadeFigures, zone } = deps
  const knownRange = extent && {
    startMs: Math.min(extent.startMs, view.startMs),
    endMs: Math.max(extent.endMs, view.endMs),
  }
  const within = knownRange ?? view
  const all = allSeries(document)
  const shownPanes = document.panes.map((pane) => ({
    ...pane,
    series: pane.series.filter(({ hidden }) => !hidden),
    hidden: hiddenOf(pane, catalog),
  }))
  const bands = shownPanes.flatMap((pane) =>
    missingBands(
      pane.id,
      pane.series
        .flatMap((entry) => columnsBehind(entry, all))
        .map((entry) => ({ label: seriesLabel(entry, catalog), loaded: loadedOf(entry.id) })),
      within,
    ),
  )
  const entriesBehind = shownPanes.flatMap(({ series }) => series.flatMap((entry) => columnsBehind(entry, all)))
  const loaded = [...new Set(entriesBehind)].map(({ id }) => loadedOf(id))
  return {
    label: name,
    panes: shownPanes.map(({ id, title, scale, series, hidden, locked, robust, distribution }) => ({
      id,
      title,
      scale,
      hidden,
      locked,
      robust,
      ...(distribution && { figures: deps.distributions?.get(id) ?? [] }),
      series: (distribution ? [] : series)
        .filter((entry) => !isShade(entry))
        .map((entry) => chartSeries(entry, loadedOf(entry.id), { all, view, catalog })),
    })),
    range: document.range ?? (extent ? null : view),
    extent: extent && lengthMs(extent) > 0 ? extent : view,
    bands: [...shading, ...bands],
    shades: shownPanes.flatMap(({ series }) =>
      series.filter(isShade).map((entry) => shadeOf(entry, partFor(loadedOf(entry.id), view), shadeFigures, catalog)),
    ),
    notes: document.notes,
    measures: document.measures.map((measure) => ({ ...measure, ends: measureEnds?.get(measure.id) })),
    drawings: document.drawings ?? [],
    coverage: coverageOfAll(loaded, within),
    zone,
  }
}

const hiddenOf = ({ series }: WorkspacePane, catalog: CatalogFacts): HiddenSeries[] =>
  series.flatMap((entry, place) =>
    entry.hidden ? [{ id: entry.id, label: legendLabel(entry, catalog), colour: entry.colour, place }] : [],
  )

const legendLabel = (entry: SeriesEntry, catalog: CatalogFacts) => `${entry.name}  ${seriesLabel(entry, catalog)}`

const noNumbers = new Float64Array(0)
const noSpans: ShadeSpans = { from: noNumbers, to: noNumbers, level: new Uint8Array(0) }
const spansByPoints = new WeakMap<OverviewPoints, ShadeSpans>()

/** Returns the stretches of a state, cached, so that the chart recognises unchanged arrays. */
function spansOf(points: OverviewPoints): ShadeSpans {
  const spans = spansByPoints.get(points) ?? shadeSpans(points)
  spansByPoints.set(points, spans)
  return spans
}

function shadeOf(
  entry: SeriesEntry,
  part: LoadedPart | null,
  figures: ModelDeps['shadeFigures'],
  catalog: CatalogFacts,
): Shade {
  const { share = null, spells = null } = figures?.get(entry.id) ?? {}
  const { id, colour } = entry
  return { id, label: legendLabel(entry, catalog), colour, spans: part ? spansOf(part.points) : noSpans, share, spells }
}

function chartSeries(
  entry: SeriesEntry,
  loaded: LoadedSeries,
  { all, view, catalog }: { all: readonly SeriesEntry[]; view: TimeRange; catalog: CatalogFacts },
): ChartSeries {
  const { source } = entry
  const part = partFor(loaded, view)
  const facts = source.kind === 'column' ? columnFacts(catalog, source) : null
  const quantity = {
    unit: isDrawnAsFlags(entry) ? 'none' : (part?.unit ?? facts?.unit ?? (part ? UNIT_UNKNOWN : 'none')),
    kind: shownKind(entry, facts?.kind ?? formulaKind(part?.unit ?? null)),
  }
  const shownUnit = chosenUnit(entry)
  const commonFields = {
    id: entry.id,
    label: legendLabel(entry, catalog),
    ...quantity,
    display: shownUnit ? displayUnit(shownUnit, quantity.kind, quantity.unit) : null,
    style: entry.style,
    axis: entry.axis,
    // Transforms that use earlier rows were applied before the points were reduced.
    transform: usesEarlierRows(entry) ? ('none' as const) : entry.transform,
    badges: [...badgesOf(entry, loaded, part), ...modelledTimeNotes(entry, all, catalog.venueFacts)],
    colour: entry.colour,
    ...(entry.fill && { fill: entry.fill }),
  }
  if (!part) {
    const isPending = !loaded.error && !loaded.problem
    return { ...commonFields, times: noNumbers, values: noNumbers, valid: null, isPending }
  }
  if (isDrawnAsFlags(entry))
    return { ...commonFields, times: noNumbers, values: noNumbers, valid: null, flags: flagsIn(part.points) }
  const asCandles = isDrawnAsCandles(entry)
  const { rows, moments } = drawnSeries(part.points, drawnColumn(entry), asCandles)
  return {
    ...commonFields,
    ...rows,
    isReduced: part.points.kind === 'bins',
    ...(moments && { moments }),
    // Rows that the download queue is about to bring are not missing.
    ...(rows.times.length === 0 && isQueuedIn(part, view) && { isPending: true }),
  }
}

function badgesOf(entry: SeriesEntry, { error, problem, whole }: LoadedSeries, part: LoadedPart | null): string[] {
  const { source, transform, style } = entry
  const unit = chosenUnit(entry)
  const { chart: text } = workbenchText
  const badges: string[] = []
  // A custom label does not say that the series is computed, so a badge does.
  if (isComputedHere(source) && entry.label) badges.push(COMPUTED_LABEL)
  if (source.kind === 'column' && source.resampleTo) badges.push(text.resampled(source.interval, source.resampleTo))
  if (usesEarlierRows(entry)) badges.push(transformLabels[transform])
  const assumedHours = unit ? assumedFundingHours(unit) : null
  if (assumedHours !== null) badges.push(text.fundingAssumed(assumedHours))
  if (source.kind === 'column' && source.resampleTo && style === 'candles') badges.push(text.candlesNotResampled)
  // The legend shows the unit of an untransformed series; a warning with the same text would repeat it.
  const isShown = (warning: string) => transform === 'none' && warning === part?.unit
  badges.push(...(part?.unitWarnings.filter((warning) => !isShown(warning)) ?? []), ...(part?.notes ?? []))
  if (problem) badges.push(problem.message)
  if (error) badges.push(error.sentence)
  if (whole && whole.absentColumns.length > 0) badges.push(text.noColumn(whole.absentColumns))
  return badges
}

/**
 * Lists a note for each venue with modelled times behind a series, because at such a venue a difference between clocks
 * shows only the model.
 */
export const modelledTimeNotes = (
  entry: SeriesEntry,
  all: readonly SeriesEntry[],
  venues: Pick<Venues, 'find'>,
): string[] => [
  ...new Set(
    columnsBehind(entry, all).flatMap(
      ({ source }) => (source.kind === 'column' && modelledTimeNote(source, venues)) || [],
    ),
  ),
]

interface DrawnSeries {
  rows: DrawnRows | DrawnCandles
  moments: BinMoments | undefined
}

const drawnByPoints = new WeakMap<OverviewPoints, Map<string, DrawnSeries>>()

/** Converts points for the chart; the result is cached, so that the chart recognises unchanged arrays. */
export function drawnSeries(points: OverviewPoints, column: string, asCandles: boolean): DrawnSeries {
  const drawnByKey = drawnByPoints.get(points) ?? new Map<string, DrawnSeries>()
  drawnByPoints.set(points, drawnByKey)
  const key = `${column} ${asCandles}`
  const existing = drawnByKey.get(key)
  if (existing) return existing
  const rows = asCandles ? drawnCandles(points) : drawnRows(points, column)
  const drawn = { rows, moments: momentsOf(points, column) }
  drawnByKey.set(key, drawn)
  return drawn
}

function momentsOf({ kind, frame }: OverviewPoints, column: string): BinMoments | undefined {
  if (kind === 'rows') return undefined
  const numbers = (name: string): Float64Array => {
    const found = columnOf(frame, name)
    return found && found.kind !== 'text' ? found.values : new Float64Array(frame.rows)
  }
  return {
    times: numbers('time'),
    count: numbers(binFieldName(column, 'count')),
    mean: numbers(binFieldName(column, 'mean')),
    m2: numbers(binFieldName(column, 'm2')),
  }
}
