/** Charts of how the values of a pane's series are distributed; the window, boards and reports draw the same. */
import type { Distribution } from '#shared/contract/areas/series.ts'
import { statisticsLevels } from '#shared/statistics/levels.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { plural } from '#shared/units/plurals.ts'
import type { DistributionKind } from '#shared/workspace/chartStyle.ts'
import { chosenUnit, displayUnit, formulaKind, shownKind } from '#shared/workspace/displayUnit.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { plainCell, type ReportChart, type ReportFlags, type ReportSeries, type ReportTable } from './reportContent.ts'

/** A series whose values are distributed, as a chart names and shows it. */
export interface DistributedSeries {
  label: string
  unit: string
  kind: NumberKind
  /** Factor from the computed values to the shown ones. */
  factor: number
  /** Index in the series palette. */
  colour: number
}

/** Describes a series in the unit that the workspace chose for it; a funding rate without one is shown in bps. */
export function distributedSeries(
  entry: Pick<SeriesEntry, 'unit' | 'transform' | 'colour' | 'source'>,
  { label, unit, kind: computedKind }: Pick<DistributedSeries, 'label' | 'unit' | 'kind'>,
): DistributedSeries {
  const kind = shownKind(entry, computedKind)
  const chosen = chosenUnit(entry) ?? (computedKind === 'rate' ? 'bps' : undefined)
  const ownKind = entry.source.kind === 'column' ? kind : formulaKind(unit)
  const display = chosen ? displayUnit(chosen, ownKind, unit) : null
  return {
    label,
    colour: entry.colour,
    unit: display?.unit ?? unit,
    kind: display?.kind ?? kind,
    factor: display?.factor ?? 1,
  }
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const fifths = ['lowest fifth', 'second', 'middle', 'fourth', 'highest fifth']
const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Names of the groups of boxes, and what they are groups of. */
const groupsOf: Record<Exclude<DistributionKind, 'histogram'>, { title: string; name: (group: number) => string }> = {
  hours: { title: 'by hour (UTC)', name: twoDigits },
  weekdays: { title: 'by weekday (UTC)', name: (day) => weekdays[day] },
  months: { title: 'by month (UTC)', name: (month) => `${Math.floor(month / 12)}-${twoDigits((month % 12) + 1)}` },
  symbols: { title: 'by series', name: String },
  buckets: { title: 'by fifths of', name: (fifth) => fifths[fifth] },
}

/** A box of one group of a series. */
interface Box {
  label: string
  group: string
  count: number
  quantiles: number[]
}

/** Builds the charts of a distribution, one for each unit. */
export function distributionCharts(
  by: DistributionKind,
  answer: Distribution,
  series: readonly DistributedSeries[],
): ReportChart[] {
  if (by === 'histogram') return chartsByUnit(answer.histograms, series, (parts) => histogram(answer, parts))
  const rest = by === 'buckets' ? series.slice(1) : series
  const title = by === 'buckets' ? `${groupsOf.buckets.title} ${series[0]?.label ?? ''}` : groupsOf[by].title
  return chartsByUnit(answer.boxes, rest, (parts) =>
    by === 'symbols' ? boxBySeries(parts) : boxesByGroup(by, title, parts),
  )
}

interface Part<Data> {
  data: Data
  series: DistributedSeries
  /** Place among all series of the pane. */
  at: number
}

/** Builds a chart of the series of each unit, because their values need different axes. */
function chartsByUnit<Data>(
  all: readonly Data[],
  series: readonly DistributedSeries[],
  build: (parts: Part<Data>[]) => ReportChart,
): ReportChart[] {
  const parts = all.map((data, at) => ({ data, series: series[at], at }))
  return [...Map.groupBy(parts, (part) => part.series.unit).values()].map(build)
}

const MOST_DECIMALS = 12
/** Returns how values are written beside bars of a width: with the decimals that tell two bars apart. */
function barText(width: number, { factor }: DistributedSeries): (value: number) => string {
  const decimals = Math.ceil(-Math.log10(Math.abs(width * factor)))
  return (value) => formatNumber(value * factor, Math.max(0, Math.min(MOST_DECIMALS, decimals)))
}
const unitText = ({ unit }: DistributedSeries) => (unit === 'none' ? '' : `, ${unit}`)
const titleOf = (parts: readonly { series: DistributedSeries }[]) =>
  parts.length === 1 ? parts[0].series.label : `${plural(parts.length, 'series', 'series')}`

/** Quantiles that a histogram marks, by their places among the levels of statistics. */
const marked = [0.05, 0.5, 0.95].map((level) => statisticsLevels.findIndex((each) => each === level))

const levelName = (level: number): string =>
  statisticsLevels[level] === 0.5 ? 'median' : `${statisticsLevels[level] * 100} %`

/** Draws the share of the values of each series in each bar, which begins at the value that names it. */
function histogram(answer: Distribution, parts: readonly Part<Distribution['histograms'][number]>[]): ReportChart {
  const [{ data: first, series }] = parts
  const bars = Math.max(0, first.edges.length - 1)
  const width = bars > 0 ? (first.edges[bars] - first.edges[0]) / bars : 1
  const outside = parts.reduce((sum, { data }) => sum + data.below + data.above, 0)
  const beyond = outside > 0 ? `, ${plural(outside, 'value')} further out` : ''
  const flags = parts.map(({ at, series: one }): ReportFlags => {
    const levels = marked.flatMap((level) => {
      const value = answer.series[at].quantiles[level]
      return value === null ? [] : [{ value, text: `${levelName(level)} ${barText(width, one)(value)}` }]
    })
    return {
      label: `Quantiles of ${one.label}`,
      times: Float64Array.from(levels, ({ value }) => (value - first.edges[0]) / width - 0.5),
      texts: levels.map(({ text }) => text),
    }
  })
  return {
    kind: 'chart',
    title: `Distribution of ${titleOf(parts)}${unitText(series)}${beyond}`,
    style: 'bars',
    names: Array.from(first.edges.subarray(0, bars), barText(width, series)),
    series: parts.map(({ data, series: one, at }): ReportSeries => {
      const total = answer.series[at].values
      return {
        label: one.label,
        colour: one.colour,
        numberKind: 'share',
        values: data.counts.map((count) => (total > 0 ? count / total : NaN)),
        x: Float64Array.from({ length: bars }, (_, bar) => bar),
      }
    }),
    flags,
  }
}

type Boxes = Distribution['boxes'][number]

/** Draws the boxes of several series beside each other, group by group. */
function boxesByGroup(
  by: Exclude<DistributionKind, 'histogram'>,
  title: string,
  parts: readonly Part<Boxes>[],
): ReportChart {
  const groups = [...new Set(parts.flatMap(({ data }) => [...data.groups]))].sort((a, b) => a - b)
  return {
    kind: 'chart',
    title: `${titleOf(parts)} ${title}${unitText(parts[0].series)}`,
    style: 'line',
    names: groups.map(groupsOf[by].name),
    series: parts.map(({ data, series }) =>
      boxSeries(
        series,
        data,
        data.groups.map((group) => groups.indexOf(group)),
      ),
    ),
  }
}

/** Draws one box for each series. */
function boxBySeries(parts: readonly Part<Boxes>[]): ReportChart {
  const joined = (field: keyof Boxes) =>
    Float64Array.from(
      parts,
      ({ data, series: { factor } }) => (data[field][0] ?? NaN) * (field === 'counts' ? 1 : factor),
    )
  const [low, lower, median, upper, high] = (['low', 'lower', 'median', 'upper', 'high'] as const).map(joined)
  const [{ series }] = parts
  const boxes = { ...{ groups: median, counts: joined('counts') }, low, lower, median, upper, high }
  const shown = { ...series, label: 'Values', factor: 1 }
  return {
    kind: 'chart',
    title: `Values by series${unitText(series)}`,
    style: 'line',
    names: parts.map((part) => part.series.label),
    series: [boxSeries(shown, boxes, Float64Array.from(parts.keys()))],
  }
}

function boxSeries(
  { label, unit, kind, factor, colour }: DistributedSeries,
  boxes: Boxes,
  x: Float64Array,
): ReportSeries {
  const { low, lower, median, upper, high } = boxes
  const shown = (values: Float64Array) => values.map((value) => value * factor)
  return {
    ...{ label, colour, numberKind: kind, unit, x, values: shown(median) },
    boxes: { low: shown(low), lower: shown(lower), upper: shown(upper), high: shown(high) },
  }
}

/** Lists the boxes behind a chart, or the quantiles behind a histogram, with all digits. */
export function distributionTable(
  title: string,
  by: DistributionKind,
  answer: Distribution,
  series: readonly DistributedSeries[],
): ReportTable {
  const rows = by === 'histogram' ? quantilesOf(answer, series) : boxesOf(by, answer, series)
  return {
    kind: 'table',
    title: `${title}: distribution`,
    columns: ['Series', 'Group', 'Values', '5 %', '25 %', 'Median', '75 %', '95 %'],
    rows: rows.map(({ label, group, count, quantiles }) => [
      label,
      group,
      plainCell(count),
      ...quantiles.map(plainCell),
    ]),
    note: 'Over all rows of the range that have a value.',
  }
}

const quantilesOf = (answer: Distribution, series: readonly DistributedSeries[]): Box[] =>
  answer.series.map(({ values, quantiles }, at) => ({
    ...{ label: series[at].label, group: 'all', count: values },
    quantiles: quantiles.slice(1, -1).map((value) => (value === null ? NaN : value * series[at].factor)),
  }))

function boxesOf(
  by: Exclude<DistributionKind, 'histogram'>,
  answer: Distribution,
  series: readonly DistributedSeries[],
): Box[] {
  const rest = by === 'buckets' ? series.slice(1) : series
  return answer.boxes.flatMap(({ groups, counts, low, lower, median, upper, high }, at) =>
    Array.from(groups, (group, row) => ({
      label: rest[at].label,
      group: by === 'symbols' ? 'all' : groupsOf[by].name(group),
      count: counts[row],
      quantiles: [low, lower, median, upper, high].map((each) => each[row] * rest[at].factor),
    })),
  )
}
