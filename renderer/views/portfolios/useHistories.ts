import { computed, watch } from 'vue'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { createResource } from '../../stores/resource.ts'
import type { HistoryWish } from './usePortfolioAnswer.ts'

export interface OneOfSeveral {
  wish: HistoryWish
  answer: { rows: Frame; freshness: PortfolioFreshness } | null
  /** Error if there is no answer. */
  error: AppError | null
}

/** Loads several histories at once, each with its own outcome, in the order of the queries. */
export function useHistories(wishes: () => readonly HistoryWish[]) {
  const host = useHost()
  const connections = useConnections()
  const found = createResource((asked: readonly HistoryWish[], signal) =>
    Promise.all(
      asked.map(async (wish): Promise<OneOfSeveral> => {
        try {
          return { wish, answer: await host.call('portfolio.history', wish, { signal }), error: null }
        } catch (thrown) {
          return { wish, answer: null, error: toAppError(thrown) }
        }
      }),
    ),
  )
  const wanted = computed(() => wishes().map((wish) => JSON.stringify(wish)))
  const key = computed(() => [connections.active?.id, ...wanted.value].join('\n'))
  watch(key, () => void found.load(wishes()), { immediate: true })
  const list = computed(() => {
    const keys = key.value.split('\n')
    return (found.value.value ?? []).filter(({ wish }) => keys.includes(JSON.stringify(wish)))
  })
  return { list, isLoading: found.isLoading, retry: () => void found.load(wishes()) }
}
