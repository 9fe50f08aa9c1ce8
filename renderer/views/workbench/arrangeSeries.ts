import type { TimeRange } from '#shared/time/ranges.ts'
import { MOST_COLUMNS, type SeriesEntry } from '#shared/workspace/workspace.ts'
import { workbenchText } from '../../text/workbench.ts'

/** Figures by which the series of a chart can be sorted. */
export type SortFigure = 'last' | 'change'

/** An arrangement of panes and series: their order, or the columns of panes. */
export type Arranging = { kind: 'sort'; by: SortFigure } | { kind: 'columns'; columns: number }

const { arrange: t } = workbenchText
const sorts: { id: string; title: string; action: Arranging }[] = (['last', 'change'] as const).map((by) => ({
  id: `sort.${by}`,
  title: t.sort[by],
  action: { kind: 'sort', by },
}))
const columns: typeof sorts = Array.from({ length: MOST_COLUMNS }, (_, at) => ({
  id: `columns.${at + 1}`,
  title: t.columns(at + 1),
  action: { kind: 'columns', columns: at + 1 },
}))

/** Arrangements as menus and the palette offer them. */
export const arrangings = [...sorts, ...columns]

/** Reads the value of a series at a time, from all of its rows. */
type ValueAt = (entry: SeriesEntry, timeMs: number, signal: AbortSignal) => Promise<number | null>

/** Reads by what series are sorted: the last value in view, or the change over it as a share of the first value. */
export async function figuresInView(
  entries: readonly SeriesEntry[],
  { startMs, endMs }: TimeRange,
  by: SortFigure,
  valueAt: ValueAt,
): Promise<Map<string, number>> {
  const { signal } = new AbortController()
  const figures = await Promise.all(
    entries.map(async (entry) => {
      const last = await valueAt(entry, endMs, signal)
      if (by === 'last' || last === null) return [entry.id, last] as const
      const first = await valueAt(entry, startMs, signal)
      return [entry.id, first === null || first === 0 ? null : (last - first) / Math.abs(first)] as const
    }),
  )
  return new Map(figures.flatMap(([id, figure]) => (figure === null ? [] : [[id, figure] as const])))
}
