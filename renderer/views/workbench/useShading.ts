import { ref, shallowRef, watch } from 'vue'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { Shading } from '#shared/workspace/workspace.ts'
import type { Band } from '../../charts/model.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { shadingBands } from './shadingBands.ts'

/** Loads the states of a regime or overlay by day, as the background of charts. */
export function useShading(shading: () => Shading | null) {
  const host = useHost()
  const connections = useConnections()
  const bands = shallowRef<readonly Band[]>([])
  const error = shallowRef<AppError | null>(null)
  const isLoading = ref(false)

  watch(
    [() => JSON.stringify(shading()), () => connections.active?.id],
    async (_now, _before, onCleanup) => {
      const wanted = shading()
      bands.value = []
      error.value = null
      isLoading.value = false
      if (!wanted) return
      const asking = new AbortController()
      onCleanup(() => asking.abort())
      isLoading.value = true
      const { kind, ...rest } = wanted
      const request =
        wanted.kind === 'regime'
          ? { endpoint: 'regime' as const, overlay: wanted.overlay }
          : { endpoint: 'overlay' as const, portfolio: wanted.portfolio, overlay: wanted.overlay }
      try {
        const { rows } = await host.call('portfolio.history', { request }, { signal: asking.signal })
        if (!asking.signal.aborted) bands.value = shadingBands(rows, kind, rest.overlay)
      } catch (thrown) {
        if (!asking.signal.aborted) error.value = toAppError(thrown)
      } finally {
        if (!asking.signal.aborted) isLoading.value = false
      }
    },
    { immediate: true },
  )
  return { bands, error, isLoading }
}
