import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { ListedReturns } from '#shared/contract/areas/returns.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { useFiles } from './files.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'

/** The user's own files of returns and weights, loaded when a screen first needs them. */
export const useOwnReturns = defineStore('returns', () => {
  const host = useHost()
  const files = useFiles()
  const toasts = useToasts()
  const listedReturns = shallowRef<ListedReturns[]>([])
  let loading: Promise<void> | null = null

  const read = inOrder(
    () => host.call('returns.list', {}),
    (found) => (listedReturns.value = found),
  )
  const reload = async () => void (await read().catch(toasts.problem))

  function load(): Promise<void> {
    if (!loading) {
      host.on('returns.changed', () => void reload())
      host.onReturn(reload)
    }
    return (loading ??= reload())
  }

  return {
    listedReturns,
    load,
    /** Lets the user choose a CSV of returns or weights, imports it and passes it on. */
    open: (onOpened: (opened: ListedReturns) => void) =>
      files.pickFor('returns', async (file) => {
        const opened = await host.call('returns.import', { file })
        await reload()
        onOpened(opened)
      }),
    change: (changed: CallInput<'returns.change'>) => host.call('returns.change', changed).catch(toasts.problem),
    remove: (id: string) => host.call('returns.remove', { id }).catch(toasts.problem),
    nameOf: (id: string) => listedReturns.value.find((each) => each.id === id)?.name ?? null,
  }
})
