import { onUnmounted, type Ref, shallowRef, watch } from 'vue'
import type { ReadyStudy } from '#shared/lab/kinds/readyGround.ts'
import type { Starter } from '../../components/starter.ts'
import { useDiscovery } from '../../stores/discovery.ts'
import { useHost } from '../../stores/host.ts'
import { labText } from '../../text/lab.ts'

const { list: t } = labText

/**
 * Finds, one after the other, whether the files of ready-made studies are cached; again whenever downloads end. A study
 * whose venue or symbols are not known has no state.
 */
export function useReadyFiles(ready: Readonly<Ref<readonly ReadyStudy[]>>) {
  const host = useHost()
  const discovery = useDiscovery()
  const states = shallowRef<ReadonlyMap<string, Starter['state']>>(new Map())
  let controller = new AbortController()

  async function ask(): Promise<void> {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    await discovery.symbols.ensure(false)
    for (const { id, document } of ready.value) {
      if (signal.aborted || discovery.firstVenue === null) return
      const study = { document: { version: 1 as const, study: { ...document }, panel: null } }
      const { files } = await host.call('lab.missing', study, { signal })
      const state = { isReady: files === 0, text: files === 0 ? t.cached : t.missing(files) }
      states.value = new Map([...states.value, [id, state]])
    }
  }
  // What cannot be looked up is not said.
  const look = () => void ask().catch(() => undefined)
  watch(ready, look, { immediate: true })
  const stop = host.on('downloads.finished', look)
  onUnmounted(() => {
    stop()
    controller.abort()
  })
  return states
}
