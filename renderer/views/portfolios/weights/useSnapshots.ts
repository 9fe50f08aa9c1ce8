import { computed, watch } from 'vue'
import type { LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import { useConnections } from '../../../stores/connections.ts'
import { useHost } from '../../../stores/host.ts'
import { createResource } from '../../../stores/resource.ts'

const MOST_LISTED = 1000

/** Live answers that were ever seen, newest first, and the one that was chosen by its time (null: none). */
export function useSnapshots(
  request: () => LiveRequest | null,
  seenAt: () => number | null,
  chosen: () => number | null,
) {
  const host = useHost()
  const connections = useConnections()
  const list = createResource((asked: LiveRequest, signal) =>
    host.call('portfolio.snapshots', { request: asked, limit: MOST_LISTED }, { signal }),
  )
  const one = createResource((asked: { request: LiveRequest; createdAt: number }, signal) =>
    host.call('portfolio.snapshot', asked, { signal }),
  )
  const key = computed(() => JSON.stringify([connections.active?.id, request()]))
  watch(
    [key, seenAt],
    () => {
      const asked = request()
      if (asked) void list.load(asked)
      else list.forget()
    },
    { immediate: true },
  )
  watch(
    [key, chosen],
    () => {
      const [asked, createdAt] = [request(), chosen()]
      if (asked && createdAt !== null) void one.load({ request: asked, createdAt })
      else one.forget()
    },
    { immediate: true },
  )
  return { list: computed(() => list.value.value ?? []), one: one.value, error: one.error }
}
