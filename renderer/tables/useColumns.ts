import type { TableColumn } from '#shared/sheet/columns.ts'
import { computed, type Ref, shallowRef } from 'vue'
import type { Zone } from '#shared/units/instants.ts'
import { type PaintedColumn, paintedColumn } from './cellView.ts'
import { shownColumns, type TableLayout, widthsIn, withWidth } from './columns.ts'
import type { ArrangedRows, RowSource } from './rows.ts'
import { columnsInView, edgesOf } from './useScroll.ts'

/** Padding of a cell plus some slack. */
const PADDING_PX = 20

/** Computes the width at which the header and the visible cells of a column are not truncated. */
export function fittedWidth(table: HTMLElement, place: number): number {
  const range = document.createRange()
  const widths = [...table.querySelectorAll(`[data-place="${place}"]`)].map((cell) => {
    range.selectNodeContents(cell)
    return range.getBoundingClientRect().width
  })
  return Math.ceil(Math.max(0, ...widths)) + PADDING_PX
}

interface ColumnDeps {
  columns: () => readonly TableColumn[]
  layout: Ref<TableLayout>
  /** Source of the rows on screen; each source has its own samples. */
  source: Ref<RowSource | null>
  rows: Ref<ArrangedRows>
  zone: () => Zone
  /** True if there are rows to sample. */
  hasRows: Ref<boolean>
  stickyFirst: () => boolean
  leftPx: Ref<number>
  viewWidthPx: () => number
}

/**
 * Adjacent columns, laid out alike in the header and in every row: the pinned column, or the others that are in view.
 */
export interface ColumnPart {
  name: 'pinned' | 'strip'
  columns: readonly PaintedColumn[]
}

/** Computes the shown columns, their widths and which of them are in view. */
export function useColumns(deps: ColumnDeps) {
  const { layout, source, rows, hasRows, leftPx } = deps
  /** Column that is being resized, with its width; the layout gets the width at the end. */
  const resizing = shallowRef<{ key: string; widthPx: number } | null>(null)

  const shown = computed(() => shownColumns(deps.columns(), layout.value))
  const currentLayout = computed(() =>
    resizing.value ? withWidth(layout.value, resizing.value.key, resizing.value.widthPx) : layout.value,
  )
  const widthsPx = computed(() => widthsIn(shown.value, currentLayout.value, deps.viewWidthPx()))
  const painted = computed(() => {
    // Reading both values makes them dependencies, because a new source and its first rows need new samples.
    void [source.value, hasRows.value]
    return shown.value.map((column, place) => paintedColumn(column, place, () => rows.value, deps.zone()))
  })

  const pinnedCount = computed(() => (deps.stickyFirst() && shown.value.length > 1 ? 1 : 0))
  const pinnedPx = computed(() => (pinnedCount.value ? widthsPx.value[0] : 0))
  const edges = computed(() => edgesOf(widthsPx.value.slice(pinnedCount.value)))
  const inView = computed((before?: { from: number; to: number }) => {
    const next = columnsInView(edges.value, leftPx.value, Math.max(0, deps.viewWidthPx() - pinnedPx.value))
    return before && before.from === next.from && before.to === next.to ? before : next
  })

  const parts = computed((): readonly ColumnPart[] => {
    const { from, to } = inView.value
    return [
      { name: 'pinned', columns: painted.value.slice(0, pinnedCount.value) },
      { name: 'strip', columns: painted.value.slice(pinnedCount.value + from, pinnedCount.value + to) },
    ]
  })
  const variables = computed(() => ({
    '--pinned': `${pinnedPx.value}px`,
    '--tracks': widthsPx.value
      .slice(pinnedCount.value + inView.value.from, pinnedCount.value + inView.value.to)
      .map((width) => `${width}px`)
      .join(' '),
    '--shift': `${edges.value[inView.value.from] - leftPx.value}px`,
  }))

  function resize(key: string, byPx: number, done: boolean): void {
    const at = shown.value.findIndex((column) => column.key === key)
    const widthPx = widthsIn(shown.value, layout.value, deps.viewWidthPx())[at] + byPx
    resizing.value = done ? null : { key, widthPx }
    if (done) layout.value = withWidth(layout.value, key, widthPx)
  }

  const totalPx = computed(() => pinnedPx.value + edges.value[edges.value.length - 1])
  return { shown, painted, parts, pinnedCount, pinnedPx, edges, variables, totalPx, resize }
}
