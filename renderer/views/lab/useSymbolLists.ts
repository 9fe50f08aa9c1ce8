import { computed, shallowRef, watch } from 'vue'
import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'

/** The person's named lists of symbols, read when a form of the Lab opens. */
export function useSymbolLists() {
  const host = useHost()
  const connections = useConnections()
  const listed = shallowRef<ListedSymbol[]>([])
  watch(
    () => connections.active?.id,
    (connectionId) => {
      if (!connectionId) return
      // Without the lists, the form is whole but for the fields that offer them.
      host.call('lists.list', { connectionId }).then(
        (found) => void (listed.value = found),
        () => {},
      )
    },
    { immediate: true },
  )
  return { listed, names: computed(() => [...new Set(listed.value.map(({ list }) => list))]) }
}
