import type { TableColumn } from './columns.ts'
import type { SortKey } from './rows.ts'

/**
 * The sort after a header was pressed. Texts start with A, numbers and times with the largest; the second press turns
 * it over, the third ends it. `also` keeps the other keys.
 */
export function pressed(sort: readonly SortKey[], { key, kind }: TableColumn, also: boolean): SortKey[] {
  const first = kind !== 'text'
  const present = sort.find((entry) => entry.key === key)
  const next: SortKey | null = !present
    ? { key, descending: first }
    : present.descending === first
      ? { key, descending: !first }
      : null
  if (!also) return next ? [next] : []
  if (!present) return next ? [...sort, next] : [...sort]
  return sort.flatMap((entry) => (entry === present ? (next ?? []) : entry))
}
