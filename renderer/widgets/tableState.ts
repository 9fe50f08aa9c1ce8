/** State of a table on a screen: its stored layout, its counts, selection and filter. */
import { computed, onUnmounted, type Ref, ref, shallowRef, watch, type WritableComputedRef } from 'vue'
import { persistedRef } from '../stores/persistedRef.ts'
import { useStatus } from '../stores/status.ts'
import { DECLARED_LAYOUT, isTableLayout, type TableLayout } from '../tables/columns.ts'
import { NO_COUNTS, NOTHING, type Selection } from '../tables/selection.ts'

/** Maximum number of stored layouts per table; the one changed longest ago is dropped. */
const MOST_KEPT = 60

type Layouts = Readonly<Record<string, TableLayout>>

const areLayouts = (stored: unknown): stored is Layouts =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored) && Object.values(stored).every(isTableLayout)

/** Stores the column layouts of a table that shows several kinds of rows, one per kind. */
export function keyedLayout(name: string, key: () => string): WritableComputedRef<TableLayout> {
  const layouts = persistedRef<Layouts>(`table.${name}`, {}, areLayouts)
  return computed({
    get: () => layouts.value[key()] ?? DECLARED_LAYOUT,
    set(layout) {
      const { [key()]: _, ...others } = layouts.value
      layouts.value = Object.fromEntries([...Object.entries(others), [key(), layout]].slice(-MOST_KEPT))
    },
  })
}

/** Stores the column layout of a table, which begins as, and resets to, the usual one. */
export function tableLayout(name: string, usual = DECLARED_LAYOUT): Ref<TableLayout> {
  const stored = persistedRef(`table.${name}`, usual, isTableLayout)
  return computed({
    get: () => stored.value,
    set: (layout) => (stored.value = layout === DECLARED_LAYOUT ? usual : layout),
  })
}

/** Returns what a table binds: its layout (by name or as given), counts, selection and filter text. */
export const useTableState = (layout: string | Ref<TableLayout>, text = '') => ({
  layout: typeof layout === 'string' ? tableLayout(layout) : layout,
  counts: shallowRef(NO_COUNTS),
  selection: shallowRef<Selection>(NOTHING),
  filterText: ref(text),
})

/** Shows the number of a table's rows in the status line while the table is on screen. */
export function useRowsInView(counts: Ref<{ shown: number; isKnown: boolean }>): void {
  const status = useStatus()
  watch(counts, ({ shown, isKnown }) => (status.rowsInView = isKnown ? shown : null), { immediate: true })
  onUnmounted(() => (status.rowsInView = null))
}
