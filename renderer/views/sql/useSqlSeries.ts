import { computed, watch } from 'vue'
import { isSqlDataset } from '#shared/catalog/sqlSeries.ts'
import { AppError } from '#shared/contract/errors.ts'
import { allSeries, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import { whenCacheChanges } from '../../stores/cache.ts'
import { useHost } from '../../stores/host.ts'
import { useToasts } from '../../stores/toasts.ts'
import { workbenchText } from '../../text/workbench.ts'

/** Runs the queries behind series of the workspace again when their files have changed, and says what kept one from it. */
export function useSqlSeries(document: () => WorkspaceDocument): void {
  const host = useHost()
  const toasts = useToasts()
  const symbols = computed(() => [
    ...new Set(
      allSeries(document()).flatMap(({ source }) =>
        source.kind === 'column' && isSqlDataset(source.dataset) ? [source.symbol] : [],
      ),
    ),
  ])
  const said = new Set<string>()
  let isBusy = false
  let isAwaited = false

  async function refresh(): Promise<void> {
    if (symbols.value.length === 0) return
    if (isBusy) {
      isAwaited = true
      return
    }
    isBusy = true
    try {
      const { problems } = await host.call('sql.refreshSeries', { symbols: [...symbols.value] })
      for (const { symbol, message } of problems) {
        const sentence = workbenchText.sqlSeries(symbol, message)
        if (!said.has(sentence)) toasts.problem(new AppError('bad-input', sentence))
        said.add(sentence)
      }
    } catch (thrown) {
      toasts.problem(thrown)
    } finally {
      isBusy = false
    }
    if (!isAwaited) return
    isAwaited = false
    await refresh()
  }

  watch(() => symbols.value.join('\n'), refresh, { immediate: true })
  whenCacheChanges(() => void refresh())
}
