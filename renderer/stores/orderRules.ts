import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { OrderRule } from '#shared/portfolio/book/orderRules.ts'
import { useHost } from './host.ts'
import { inOrder } from './resource.ts'

/** What the user typed of the orders of symbols, loaded when a screen first needs it. */
export const useOrderRules = defineStore('orderRules', () => {
  const host = useHost()
  const list = ref<OrderRule[]>([])
  let loading: Promise<unknown> | null = null

  const reload = inOrder(
    () => host.call('book.orderRules', {}),
    (found) => (list.value = found),
  )

  function load(): Promise<unknown> {
    if (!loading) {
      host.on('instruments.changed', () => void reload())
      host.onReturn(reload)
    }
    return (loading ??= reload())
  }

  async function set(rule: CallInput<'book.setOrderRule'>): Promise<void> {
    await host.call('book.setOrderRule', rule)
    await reload()
  }

  return { list, load, set }
})
