import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { useHost } from './host.ts'

/** Instruments that the user described, loaded when a screen first needs them. */
export const useInstruments = defineStore('instruments', () => {
  const host = useHost()
  const list = ref<Instrument[]>([])
  let loading: Promise<void> | null = null

  async function reload(): Promise<void> {
    list.value = await host.call('instruments.list', {})
  }

  function load(): Promise<void> {
    if (!loading) {
      host.on('instruments.changed', () => void reload())
      host.onReturn(reload)
    }
    return (loading ??= reload())
  }

  const contractSize = ({ exchange, symbol }: { exchange: string; symbol: string }): number | undefined =>
    list.value.find((each) => each.exchange === exchange && each.symbol === symbol)?.contract_size ?? undefined

  async function importText(text: string): Promise<number> {
    const { imported } = await host.call('instruments.import', { text })
    await reload()
    return imported
  }

  return { list, load, contractSize, importText }
})
