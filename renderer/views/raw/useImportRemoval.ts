import { useCache } from '../../stores/cache.ts'
import { useToasts } from '../../stores/toasts.ts'
import { removalText as text } from '../../text/removal.ts'
import type { ImportedGroup } from './importRows.ts'

/** Returns a function that removes the files of an import from the cache again; `onRemoved` receives their ids. */
export function useImportRemoval(onRemoved: (ids: readonly string[]) => void) {
  const cache = useCache()
  const toasts = useToasts()

  return async ({ exchange, symbol, imported }: Pick<ImportedGroup, 'exchange' | 'symbol' | 'imported'>) => {
    const filter = { kind: 'raw' as const, origins: ['import' as const], exchanges: [exchange], symbols: [symbol] }
    let count = 0
    try {
      // The removal is done per dataset, because one removal for several datasets and periods would match all
      // combinations of these, and so files of earlier imports.
      for (const [dataset, files] of Map.groupBy(imported, (file) => file.dataset)) {
        const periods = files.map(({ period }) => period).toSorted()
        count += (await cache.remove({ ...filter, datasets: [dataset], periods })).files
        onRemoved(files.map(({ id }) => id))
      }
      toasts.show({ kind: 'done', message: text.removed(count) })
    } catch (thrown) {
      toasts.problem(thrown)
    }
  }
}
