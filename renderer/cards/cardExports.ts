import type { Cell, TableColumn } from '#shared/sheet/columns.ts'
import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { type Column, type Frame, timeColumn } from '#shared/contract/frame.ts'
import { missingColumn, setCell } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { exactTime, formatTime } from '#shared/units/instants.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { type ChartModel, type ChartSeries, hasValue, rowsOf } from '../charts/model.ts'
import { exportName, saveFile } from '../export/saveFile.ts'
import { useConnections } from '../stores/connections.ts'
import { portfoliosText } from '../text/portfolios.ts'

const provenanceKey: InjectionKey<() => string> = Symbol('provenance of the cards')

/** Provides the provenance that the cards of a page write into their exports. */
export const provideProvenance = (text: () => string): void => provide(provenanceKey, text)

/** Builds the footer of exported pictures: subject, connection, address and time of the data. */
function provenanceOf(what: string, connection: string, freshness: PortfolioFreshness | null): string {
  if (!freshness) return [what, connection].join(' · ')
  const { provenance: text } = portfoliosText
  return [what, text.source(connection, freshness.source), text.asOf(freshness.fetchedAt)].join(' · ')
}

/**
 * Provides the provenance of a page to its cards; `provenanceFor` returns the provenance of another subject of the same
 * answer.
 */
export function usePageProvenance(
  what: () => string,
  freshness: () => PortfolioFreshness | null,
  /** Names the source of the values; by default the active connection. */
  sourceName?: () => string,
): { provenance: ComputedRef<string>; provenanceFor: (what: string) => string } {
  const connections = useConnections()
  const provenanceFor = (subject: string) =>
    provenanceOf(subject, sourceName?.() ?? connections.active?.name ?? '', freshness())
  const provenance = computed(() => provenanceFor(what()))
  provideProvenance(() => provenance.value)
  return { provenance, provenanceFor }
}

/**
 * Returns a function that saves the CSV of a card, and its provenance as a second file, because a CSV cannot contain
 * it.
 */
export function useCsvSave(): (file: string, title: string, csv: string, definitions?: Record<string, string>) => void {
  const provenance = inject(provenanceKey, () => '')
  return (file, title, csv, definitions = {}) => {
    const name = `${exportName(file)}.csv`
    saveFile(name, new Blob([csv], { type: 'text/csv' }))
    const hasDefinitions = Object.keys(definitions).length > 0
    const record = {
      file: name,
      title,
      from: provenance(),
      zone: 'UTC',
      ...(hasDefinitions && { definitions }),
      exported: new Date().toISOString(),
    }
    saveFile(
      `${name}.provenance.json`,
      new Blob([`${JSON.stringify(record, null, 2)}\n`], { type: 'application/json' }),
    )
  }
}

/**
 * Converts a cell for a CSV: numbers in full precision, a time at the start of a day as the day, other times in full.
 */
export function plainCell(value: Cell | undefined, { kind }: TableColumn): string | number | null {
  if (value === null || value === undefined) return null
  if (kind !== 'time' || typeof value === 'string') return Number.isNaN(value) ? null : value
  return value % MS_PER_DAY === 0 ? formatTime(value, 'utc', 'day') : exactTime(value, 'utc')
}

/** Converts the visible contents of a chart to a table with one row per time and one column per series. */
export function modelFrame({ panes }: ChartModel, range: TimeRange): Frame {
  const series = panes.flatMap((pane) => pane.series)
  const times = [
    ...new Set(
      series.flatMap((each) => {
        const { from, to } = rowsOf(each.times, range)
        return [...each.times.subarray(from, to)]
      }),
    ),
  ].sort((a, b) => a - b)
  const rowByTime = new Map(times.map((time, row) => [time, row]))
  const names = columnNames(panes)
  const columns = series.map((each, at) => columnOfSeries(each, names[at], range, rowByTime, times.length))
  return { rows: times.length, columns: [timeColumn('time', times), ...columns] }
}

/** Names each column after its series, prefixed by the pane's title if several panes have a series of that name. */
function columnNames(panes: ChartModel['panes']): string[] {
  const all = panes.flatMap(({ title, series }) => series.map(({ label }) => ({ title, label })))
  const countOf = (label: string) => all.filter((other) => other.label === label).length
  return all.map(({ title, label }) => (countOf(label) > 1 ? `${title}: ${label}` : label))
}

function columnOfSeries(
  series: ChartSeries,
  name: string,
  range: TimeRange,
  rowByTime: ReadonlyMap<number, number>,
  rows: number,
): Column {
  const column = missingColumn(name, rows)
  const { from, to } = rowsOf(series.times, range)
  for (let row = from; row < to; row += 1) {
    if (hasValue(series, row)) setCell(column, rowByTime.get(series.times[row])!, series.values[row])
  }
  return column
}
