import type { TimeRange } from '#shared/time/ranges.ts'
import { MOST_COLUMNS } from '#shared/workspace/workspaceLimits.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { workbenchText } from '../../text/workbench.ts'

/** Figures by which the series of a chart can be sorted. */
type SortFigure = 'last' | 'change'

/** A change of the order of series and panes, or of the number of pane columns. */
export type ArrangeAction = { kind: 'sort'; by: SortFigure } | { kind: 'columns'; columns: number }

const { arrange: t } = workbenchText
const sortArrangements: { id: string; title: string; action: ArrangeAction }[] = (['last', 'change'] as const).map(
  (by) => ({
    id: `sort.${by}`,
    title: t.sort[by],
    action: { kind: 'sort', by },
  }),
)
const columnArrangements: typeof sortArrangements = Array.from({ length: MOST_COLUMNS }, (_, at) => ({
  id: `columns.${at + 1}`,
  title: t.columns(at + 1),
  action: { kind: 'columns', columns: at + 1 },
}))

/** All arrangements, for menus and the palette. */
export const arrangements = [...sortArrangements, ...columnArrangements]

/** Reads the value of a series at the given time from its full data. */
type ValueAt = (entry: SeriesEntry, timeMs: number, signal: AbortSignal) => Promise<number | null>

/** Reads the figures for sorting series: the last value in view, or the change relative to the first value. */
export async function figuresInView(
  entries: readonly SeriesEntry[],
  { startMs, endMs }: TimeRange,
  by: SortFigure,
  valueAt: ValueAt,
): Promise<Map<string, number>> {
  const { signal } = new AbortController()
  const figures = await Promise.all(
    entries.map(async (entry) => {
      const lastValue = await valueAt(entry, endMs, signal)
      if (by === 'last' || lastValue === null) return [entry.id, lastValue] as const
      const firstValue = await valueAt(entry, startMs, signal)
      return [
        entry.id,
        firstValue === null || firstValue === 0 ? null : (lastValue - firstValue) / Math.abs(firstValue),
      ] as const
    }),
  )
  return new Map(figures.flatMap(([id, figure]) => (figure === null ? [] : [[id, figure] as const])))
}
