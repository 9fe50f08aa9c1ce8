import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { FundingDefault } from '#shared/contract/areas/funding.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { useHost } from './host.ts'
import { inOrder } from './resource.ts'

/** Funding periods that the user typed, loaded when a screen first needs them. */
export const useFundingDefaults = defineStore('fundingDefaults', () => {
  const host = useHost()
  const list = ref<FundingDefault[]>([])
  let loading: Promise<unknown> | null = null

  const reload = inOrder(
    () => host.call('funding.defaults', {}),
    (found) => (list.value = found),
  )

  function load(): Promise<unknown> {
    if (!loading) {
      host.on('instruments.changed', () => void reload())
      host.onReturn(reload)
    }
    return (loading ??= reload())
  }

  async function set(typed: CallInput<'funding.setDefault'>): Promise<void> {
    await host.call('funding.setDefault', typed)
    await reload()
  }

  return { list, load, set }
})
