import { computed, type WritableComputedRef } from 'vue'
import { persistedRef } from '../stores/persistedRef.ts'
import { DECLARED, isTableLayout, type TableLayout } from '../tables/columns.ts'

/** Layouts that are kept for one table; the one that was changed longest ago makes room. */
const MOST_KEPT = 60

type Layouts = Readonly<Record<string, TableLayout>>

const areLayouts = (kept: unknown): kept is Layouts =>
  typeof kept === 'object' && kept !== null && !Array.isArray(kept) && Object.values(kept).every(isTableLayout)

/** Remembers the columns of a table that shows several kinds of rows, a layout for each kind. */
export function keyedLayout(name: string, key: () => string): WritableComputedRef<TableLayout> {
  const layouts = persistedRef<Layouts>(`table.${name}`, {}, areLayouts)
  return computed({
    get: () => layouts.value[key()] ?? DECLARED,
    set(layout) {
      const { [key()]: _, ...others } = layouts.value
      layouts.value = Object.fromEntries([...Object.entries(others), [key(), layout]].slice(-MOST_KEPT))
    },
  })
}
