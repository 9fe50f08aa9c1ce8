import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Instrument } from '#shared/contract/areas/instruments.ts'
import { contractSizesOf, datedInstruments } from '#shared/contract/instrumentHistory.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'
import { useHost } from './host.ts'
import { inOrder } from './resource.ts'

const pairKey = ({ exchange, symbol }: ListedPair): string => JSON.stringify([exchange, symbol])

/** Instruments that the user described, loaded when a screen first needs them. */
export const useInstruments = defineStore('instruments', () => {
  const host = useHost()
  const list = ref<Instrument[]>([])
  let loading: Promise<unknown> | null = null

  const reload = inOrder(
    () => host.call('instruments.list', {}),
    (found) => (list.value = found),
  )

  function load(): Promise<unknown> {
    if (!loading) {
      host.on('instruments.changed', () => void reload())
      host.onReturn(reload)
    }
    return (loading ??= reload())
  }

  const rowsByPair = computed(() => Map.groupBy(list.value, pairKey))
  const contractSizes = (pair: ListedPair): DatedSizes =>
    contractSizesOf(datedInstruments(rowsByPair.value.get(pairKey(pair)) ?? []))

  async function importText(text: string): Promise<CallOutput<'instruments.import'>> {
    const answer = await host.call('instruments.import', { text })
    await reload()
    return answer
  }

  return { list, load, contractSizes, importText }
})
