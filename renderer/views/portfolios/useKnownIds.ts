import { computed, watch } from 'vue'
import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { createResource } from '../../stores/resource.ts'
import { sandboxIds } from './sandboxIds.ts'

const MOST_IDS = 200

/** Identifiers to offer: those used with success, the last first, then those of the sandbox where it is the connection. */
export function useKnownIds(kind: IdKind) {
  const host = useHost()
  const connections = useConnections()
  const used = createResource((_wish: void, signal) =>
    host.call('portfolio.usedIds', { kind, limit: MOST_IDS }, { signal }),
  )
  watch(
    () => connections.active?.id,
    () => void used.load(),
    { immediate: true },
  )
  const usedIds = computed(() => used.value.value?.map(({ id }) => id) ?? [])
  const ids = computed(() => {
    const ofSandbox = connections.active?.builtIn && kind !== 'ticker' ? sandboxIds[kind] : []
    return [...new Set([...usedIds.value, ...ofSandbox])]
  })
  return { ids, usedIds, isLoaded: computed(() => used.value.value !== null), reload: () => void used.load() }
}
