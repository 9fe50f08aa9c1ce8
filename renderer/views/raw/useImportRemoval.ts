import { useCache } from '../../stores/cache.ts'
import { useToasts } from '../../stores/toasts.ts'
import { removalText as text } from '../../text/removal.ts'
import type { ImportedGroup } from './importRows.ts'

/** Removes the files of an import from the cache again, and reports the ids of the removed ones. */
export function useImportRemoval(removed: (ids: readonly string[]) => void) {
  const cache = useCache()
  const toasts = useToasts()

  return async ({ exchange, symbol, imported }: Pick<ImportedGroup, 'exchange' | 'symbol' | 'imported'>) => {
    const filter = { kind: 'raw' as const, origins: ['import' as const], exchanges: [exchange], symbols: [symbol] }
    let count = 0
    try {
      // The removal is done per dataset, because one with several datasets and periods would match all combinations,
      // also of earlier imports.
      for (const [dataset, files] of Map.groupBy(imported, (file) => file.dataset)) {
        const periods = files.map(({ period }) => period).toSorted()
        count += (await cache.remove({ ...filter, datasets: [dataset], periods })).files
        removed(files.map(({ id }) => id))
      }
      toasts.show({ kind: 'done', message: text.removed(count) })
    } catch (thrown) {
      toasts.problem(thrown)
    }
  }
}
