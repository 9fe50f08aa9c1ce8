import type { SheetChart } from '#shared/sheet/sheet.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { numbersOf } from './sections.ts'

type Lines = Readonly<Record<string, readonly (number | null)[]>>

/** Draws lines or bars at positions of the horizontal axis. */
export const chartOf = (
  head: Pick<SheetChart, 'id' | 'title' | 'style' | 'names'>,
  x: Float64Array,
  lines: Lines,
  kind: NumberKind,
): SheetChart => ({
  kind: 'chart',
  ...head,
  series: Object.entries(lines).map(([label, values]) => ({
    ...{ id: label, label, kind, x, valid: null },
    values: numbersOf(values),
  })),
})

/** Draws values over names, as bars or as lines. */
export const barChart = (
  id: string,
  title: string,
  names: readonly string[],
  lines: Lines,
  style: SheetChart['style'] = 'bars',
): SheetChart =>
  chartOf(
    { id, title, style, names },
    Float64Array.from(names, (_, at) => at),
    lines,
    'statistic',
  )

/** Maximum number of points of a line over time, to keep it readable and reports small. */
const MOST_POINTS = 600

/** Draws lines over time; if there are many points, only every n-th is drawn and the chart says so. */
export function timeChart(
  id: string,
  title: string,
  times: readonly number[],
  lines: Lines,
  kind: NumberKind = 'statistic',
): SheetChart {
  const step = Math.max(1, Math.ceil(times.length / MOST_POINTS))
  // Only what is drawn is read, because a year of minutes has half a million times for each line.
  const shown = <Value>(values: readonly Value[]) =>
    Array.from({ length: Math.ceil(values.length / step) }, (_, at) => values[at * step])
  const shownLines = Object.fromEntries(Object.entries(lines).map(([label, values]) => [label, shown(values)]))
  const thinned = step > 1 && { thinned: `1 in ${step} times drawn` }
  const head = { id, title, style: 'line' as const, names: null }
  return { ...chartOf(head, Float64Array.from(shown(times)), shownLines, kind), ...thinned }
}
