import { isStartNote } from '#shared/formula/startNote.ts'
import { modelledTimeNote } from '#shared/catalog/modelledTimes.ts'
import type { Distribution, EvaluatedFormula, SeriesStatistics } from '#shared/contract/areas/series.ts'
import type { Flags } from '#shared/overview/flags.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { shadeSpans } from '#shared/overview/shade.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { datedSizesText, sizesWithin } from '#shared/units/contractSizes.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { columnKind, UNIT_UNKNOWN, type UnitFacts } from '#shared/units/measureUnits.ts'
import { kindOfUnit, type NumberKind } from '#shared/units/numberKinds.ts'
import type { ContractSizes } from '#shared/workspace/checkEntryFormula.ts'
import { canBeFilled, isShade, usesEarlierRows } from '#shared/workspace/chartStyle.ts'
import { shownColumnLabel, sourceLabel } from '#shared/workspace/columnLabels.ts'
import { chosenUnit, displayUnit, type DisplayUnit, formulaKind, shownKind } from '#shared/workspace/displayUnit.ts'
import { columnsBehind, expandEntry, hasValues, isAnnualised } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { SeriesEntry, WorkspacePane } from '#shared/workspace/workspaceSchema.ts'
import {
  type DistributedSeries,
  distributedSeries,
  distributionCharts,
  distributionTable,
} from './distributionCharts.ts'
import {
  definitionVersions,
  plainCell,
  type ReportCandles,
  type ReportCell,
  type ReportChart,
  type ReportContent,
  reportNumber,
  type ReportPart,
  type ReportSeries,
  type ReportShade,
  type WorkbenchQuery,
} from './reportContent.ts'

/** A series of a workspace with its points over the range of the report. */
export interface ReportedSeries {
  entry: SeriesEntry
  evaluated: EvaluatedFormula
  statistics: SeriesStatistics
  /** Candles of a series that is drawn so; null for any other. */
  candles: ReportCandles | null
  /** Events that are drawn as flags; null for any other series. */
  flags?: Flags | null
}

/** Approximate number of candles in a chart, few enough to be told apart. */
export const CANDLES_PER_CHART = 150

/** Number of values that all series of a report may draw together, at most four per point, to keep the page small. */
const MOST_POINTS = 16_000
const LEAST_POINTS = 60

/** Returns how many points to request for each of `series` series: at least `LEAST_POINTS`, at most 1000. */
export const pointsPerSeries = (series: number): number =>
  Math.max(LEAST_POINTS, Math.min(1000, Math.floor(MOST_POINTS / Math.max(1, series) / 4)))

/** Builds a report of a workspace: charts of its panes, its notes, and the statistics and sources of its series. */
export function workbenchReport(
  { name, document, startMs, endMs }: WorkbenchQuery,
  computed: readonly ReportedSeries[],
  distributions: ReadonlyMap<string, Distribution>,
  contractSizes: ContractSizes,
  venues: UnitFacts,
): Pick<ReportContent, 'title' | 'subtitle' | 'parts' | 'definitions' | 'warnings'> {
  const byId = new Map(computed.map((each) => [each.entry.id, each]))
  const states = computed.filter(({ entry }) => isShade(entry))
  const shades = states.map(shadeOf)
  const charts = document.panes.flatMap((pane, at) =>
    pane.distribution
      ? distributionParts(pane, at, { byId, venues, answer: distributions.get(pane.id) })
      : paneCharts(pane, at, byId, venues).map((chart) => (shades.length > 0 ? { ...chart, shades } : chart)),
  )
  const notes = document.notes
    .filter(({ timeMs }) => timeMs >= startMs && timeMs < endMs)
    .sort((a, b) => a.timeMs - b.timeMs)
    .map(({ timeMs, text }): ReportCell[] => [new Date(timeMs).toISOString(), text])
  const parts: ReportPart[] = [
    ...charts,
    ...(notes.length > 0
      ? [
          {
            kind: 'table' as const,
            title: 'Notes in the chart',
            columns: ['Time', 'Note'],
            rows: notes,
            isOwnText: true,
          },
        ]
      : []),
    ...eventTables(computed),
    ...(states.length > 0 ? [conditionsTable(states)] : []),
    statisticsTable(computed.filter(({ entry, flags }) => !flags && !isShade(entry))),
    sourcesTable(computed),
  ]
  return {
    title: name || 'Workspace',
    subtitle: `${zonedTime(startMs, 'utc')} to ${zonedTime(endMs, 'utc')}`,
    parts,
    definitions: definitionVersions([
      'series.overview',
      'series.statistics',
      ...computed.flatMap(({ entry }) => functionsOf(entry).map((each) => `formula.${each}`)),
    ]),
    warnings: [
      ...new Set(
        computed.flatMap((each) => [
          ...warningsOf(each),
          ...sourceWarnings(each, { startMs, endMs, contractSizes, venues, all: allSeries(document) }),
        ]),
      ),
    ],
  }
}

const functionsOf = ({ source }: SeriesEntry): string[] =>
  source.kind === 'formula'
    ? [...source.formula.matchAll(/([a-z][a-z0-9_]*)\s*\(/gi)].map(([, name]) => name.toLowerCase())
    : []

function warningsOf({ entry, evaluated }: ReportedSeries): string[] {
  const label = labelOf(entry)
  const { problem, unitWarnings, notes, inputs } = evaluated
  const doubts = notes.filter((note) => !isStartNote(note))
  const inputWarnings = Object.values(inputs).flatMap(({ coverage, unread, absentColumns }) => [
    ...(coverage.some(({ state }) => state !== 'cached')
      ? [`${label}: part of the range is not downloaded or does not exist`]
      : []),
    ...unread.map(({ message }) => `${label}: ${message}`),
    ...absentColumns.map((column) => `${label}: the files have no column ${column}`),
  ])
  return [
    ...(problem ? [`${label}: ${problem.message}`] : []),
    ...[...unitWarnings, ...doubts].map((each) => `${label}: ${each}`),
    ...inputWarnings,
  ]
}

interface SourceFacts extends TimeRange {
  all: readonly SeriesEntry[]
  contractSizes: ContractSizes
  venues: UnitFacts
}

/** Lists warnings about modelled times and user-given contract sizes, including those of columns inside a formula. */
function sourceWarnings({ entry }: ReportedSeries, { all, contractSizes, venues, ...range }: SourceFacts): string[] {
  return columnsBehind(entry, all).flatMap(({ source }) => {
    if (source.kind !== 'column') return []
    const [note, sizes] = [modelledTimeNote(source, venues), sizesWithin(contractSizes(source), range)]
    return [
      ...(note === null ? [] : [`${labelOf(entry)}: ${note}`]),
      ...(sizes.length === 0
        ? []
        : [`contract size of ${source.symbol} on ${source.exchange}: ${datedSizesText(sizes)}`]),
    ]
  })
}

function labelOf({ label, name, source }: SeriesEntry): string {
  if (label) return label
  if (source.kind === 'formula') return source.formula.trim().slice(0, 80) || name
  return sourceLabel(source, shownColumnLabel(source.dataset, source.column))
}

/** Draws how the values of a pane's series are distributed, and lists the figures behind it. */
function distributionParts(
  pane: WorkspacePane,
  at: number,
  {
    byId,
    venues,
    answer,
  }: { byId: ReadonlyMap<string, ReportedSeries>; venues: UnitFacts; answer: Distribution | undefined },
): ReportPart[] {
  const { distribution: by } = pane
  if (!by || !answer || answer.problem) return []
  const series = pane.series.filter(hasValues).flatMap(({ id }): DistributedSeries[] => {
    const found = byId.get(id)
    if (!found) return []
    const { entry, evaluated } = found
    const quantity = { label: labelOf(entry), unit: evaluated.unit ?? UNIT_UNKNOWN, kind: valueKindOf(found, venues) }
    return [distributedSeries(entry, quantity)]
  })
  const charts = distributionCharts(by, answer, series)
  return [...charts, distributionTable(pane.title || `Pane ${at + 1}`, by, answer, series)]
}

/** Draws a chart per unit of a pane, because series of different units need different scales. */
function paneCharts(
  pane: WorkspacePane,
  at: number,
  byId: ReadonlyMap<string, ReportedSeries>,
  venues: UnitFacts,
): ReportChart[] {
  const all = pane.series.filter((entry) => !entry.hidden && !isShade(entry)).flatMap(({ id }) => byId.get(id) ?? [])
  const flags = all.flatMap((each) => (each.flags ? [{ label: labelOf(each.entry), ...each.flags }] : []))
  const drawn = all.filter((each) => !each.flags)
  // Events alone are also counted, because flags need a chart on which they stand.
  const byUnit = Map.groupBy(drawn.length > 0 ? drawn : all, (each) => unitOf(each, venues))
  const title = pane.title || `Pane ${at + 1}`
  return [...byUnit].map(([unit, series]) => ({
    kind: 'chart',
    title: byUnit.size > 1 ? `${title}, ${unit}` : title,
    // Bars start at 0, which a log axis does not have.
    style: pane.scale !== 'log' && series.every(({ entry }) => entry.style === 'bar') ? 'bars' : 'line',
    names: null,
    series: series.map((each) => ({ ...seriesOf(each, venues), ...fillOf(each.entry, unit, series) })),
    ...(pane.scale === 'log' && { isLog: true }),
    ...(flags.length > 0 && { flags }),
  }))
}

/** Returns what a series is filled to in its chart; nothing for a series or unit that the chart does not show. */
function fillOf(
  { fill, style }: SeriesEntry,
  unit: string,
  series: readonly ReportedSeries[],
): Pick<ReportSeries, 'fill'> {
  if (!fill || !canBeFilled(style)) return {}
  if (fill.to === 'zero') return { fill: { level: 0 } }
  if (fill.to === 'level') return fill.unit === unit ? { fill: { level: fill.value } } : {}
  const at = series.findIndex(({ entry }) => entry.id === fill.series && canBeFilled(entry.style))
  return at < 0 ? {} : { fill: { series: at } }
}

const shadeOf = ({ entry, evaluated, statistics }: ReportedSeries): ReportShade => ({
  label: labelOf(entry),
  colour: entry.colour,
  spans: shadeSpans(evaluated.points),
  share: statistics.mean,
  spells: statistics.spells,
})

/** Tells how often the conditions hold that shade the charts. */
const conditionsTable = (states: readonly ReportedSeries[]): ReportPart => ({
  kind: 'table',
  title: 'Conditions',
  columns: ['Condition', 'Holds', 'Spells', 'Rows', 'Missing'],
  rows: states.map(({ entry, statistics: { mean, spells, rows, missing } }) => [
    labelOf(entry),
    reportNumber(mean, 'share'),
    plainCell(spells),
    plainCell(rows),
    plainCell(missing),
  ]),
  note: 'A condition holds at a row where it is present and not 0; a spell is an unbroken run of such rows.',
})

/** Lists the events that charts draw as flags. */
const eventTables = (computed: readonly ReportedSeries[]): ReportPart[] =>
  computed.flatMap(({ entry, flags }): ReportPart[] => {
    if (!flags) return []
    const rows = flags.texts.map((text, at): ReportCell[] => [new Date(flags.times[at]).toISOString(), text])
    return [{ kind: 'table', title: labelOf(entry), columns: ['Time', 'Event'], rows }]
  })

function unitOf(computed: ReportedSeries, facts: UnitFacts): string {
  const { entry, evaluated } = computed
  const { transform } = entry
  if (transform === 'indexed') return 'indexed to 100'
  if (transform === 'percentFromStart') return '%'
  if (transform === 'zscore') return 'standard deviations'
  if (isAnnualised(entry)) return '% a year'
  return displayOf(computed, facts)?.unit ?? evaluated.unit ?? UNIT_UNKNOWN
}

/** Returns the unit that the workspace shows values in, if it is not their own. */
function displayOf(computed: ReportedSeries, facts: UnitFacts): DisplayUnit | null {
  const { entry, evaluated } = computed
  const choice = chosenUnit(entry)
  const kind = entry.source.kind === 'column' ? valueKindOf(computed, facts) : formulaKind(evaluated.unit)
  const isOwnScale = entry.transform === 'none' || usesEarlierRows(entry)
  if (!choice || !isOwnScale || isAnnualised(entry)) return null
  return displayUnit(choice, shownKind(entry, kind), evaluated.unit ?? UNIT_UNKNOWN)
}

function kindOf(computed: ReportedSeries, facts: UnitFacts): NumberKind {
  const display = displayOf(computed, facts)
  if (display) return display.kind
  if (computed.entry.transform !== 'none') return 'statistic'
  return isAnnualised(computed.entry) ? 'percent' : valueKindOf(computed, facts)
}

/** Returns the kind of the computed values themselves. */
function valueKindOf({ entry: { source }, evaluated }: ReportedSeries, facts: UnitFacts): NumberKind {
  const kind = source.kind === 'column' ? columnKind(source.dataset, source.column, facts) : null
  return kind ?? kindOfUnit(evaluated.unit) ?? 'statistic'
}

function seriesOf(computed: ReportedSeries, venues: UnitFacts): ReportSeries {
  const { entry, evaluated, statistics, candles } = computed
  const { times, values, valid, stepMs } = drawnRows(evaluated.points, 'value')
  // A rate a year is shown in per cent, as in the chart; other transforms have a unit of their own.
  const unit = unitOf(computed, venues)
  const factor = isAnnualised(entry) ? 100 : (displayOf(computed, venues)?.factor ?? 1)
  const valuesWithGaps = Float64Array.from(values, (value, row) => (valid && !valid[row] ? NaN : value * factor))
  return {
    label: labelOf(entry),
    colour: entry.colour,
    numberKind: kindOf(computed, venues),
    x: times,
    values: applyTransform(valuesWithGaps, entry.transform, statistics),
    unit,
    ...styleOf(entry.style, stepMs),
    ...(candles && { candles }),
  }
}

/** Returns the style of a series where it is not a plain line, with the duration of its steps and bars. */
function styleOf(style: SeriesEntry['style'], stepMs: number | null): Pick<ReportSeries, 'style' | 'stepMs'> {
  if (style === 'line' || style === 'candles' || style === 'shade') return {}
  return { style, ...(stepMs !== null && (style === 'step' || style === 'bar') && { stepMs }) }
}

/** Applies the transforms that depend on the visible range, which is here the range of the report. */
function applyTransform(
  values: Float64Array,
  transform: SeriesEntry['transform'],
  { first, mean, deviation }: SeriesStatistics,
): Float64Array {
  if (transform === 'indexed') return values.map((value) => (first ? (value / first) * 100 : NaN))
  if (transform === 'percentFromStart') return values.map((value) => (first ? (value / first - 1) * 100 : NaN))
  if (transform === 'zscore') return values.map((value) => (deviation ? (value - (mean ?? NaN)) / deviation : NaN))
  return values
}

const statisticColumns = [
  'Rows',
  'Missing',
  'First',
  'Last',
  'Lowest',
  'Highest',
  'Mean',
  'Deviation',
  '5 %',
  'Median',
  '95 %',
] as const

function statisticsTable(computed: readonly ReportedSeries[]): ReportPart {
  return {
    kind: 'table',
    title: 'Statistics of the range',
    columns: ['Series', 'Unit', ...statisticColumns],
    rows: computed.map(({ entry, statistics }): ReportCell[] => {
      const { rows, missing, first, last, min, max, mean, deviation, quantiles, unit } = statistics
      const numbers = [rows, missing, first, last, min, max, mean, deviation, quantiles[1], quantiles[3], quantiles[5]]
      return [labelOf(entry), unit ?? 'unknown', ...numbers.map(plainCell)]
    }),
    note: 'Computed over all rows of the range, not only over the points that the charts draw.',
  }
}

/** Lists how each series is computed, with the series named as in formulas, and where running sums start. */
function sourcesTable(computed: readonly ReportedSeries[]): ReportPart {
  const all = computed.map(({ entry }) => entry)
  const notes = computed.flatMap(({ entry, evaluated }) =>
    evaluated.notes.filter(isStartNote).map((note) => `${labelOf(entry)}: ${note}`),
  )
  return {
    kind: 'table',
    title: 'Sources of the series',
    columns: ['Series', 'Name', 'Formula', 'Dataset', 'Exchange', 'Symbol', 'Interval', 'Clock', 'Transform'],
    rows: all.flatMap((entry) => {
      const { source, name, transform } = entry
      const columns = source.kind === 'column' ? [source] : columnsOf(entry, all)
      const formula = source.kind === 'column' ? source.column : source.formula
      return columns.map((each): ReportCell[] => [
        labelOf(entry),
        name,
        formula,
        each.dataset,
        each.exchange,
        each.symbol,
        each.resampleTo ? `${each.interval} → ${each.resampleTo}` : each.interval,
        each.timestamp,
        transform,
      ])
    }),
    ...(notes.length > 0 && { note: `${[...new Set(notes)].join('. ')}.` }),
  }
}

function columnsOf(entry: SeriesEntry, all: readonly SeriesEntry[]) {
  const expanded = expandEntry(entry, all)
  return 'problem' in expanded ? [] : Object.values(expanded.columns)
}

/** Lists the visible series of a workspace. */
export const shownEntries = (document: WorkbenchQuery['document']): SeriesEntry[] =>
  allSeries(document).filter(({ hidden }) => !hidden)
