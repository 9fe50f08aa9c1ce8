import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'

const addressFields = [
  'exchange',
  'symbol',
  'dataset',
  'period',
  'until',
  'metric',
  'interval',
  'timestamp',
  'at',
] as const
export type RawAddress = Record<(typeof addressFields)[number], string>

/** Reads the selection from the address, and changes it by writing the address. */
export function useRawAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => {
    const text = (name: string) => (typeof route.query[name] === 'string' ? route.query[name] : '')
    return Object.fromEntries(addressFields.map((name) => [name, text(name)])) as RawAddress
  })
  function change(patch: Partial<RawAddress>): void {
    const next = { ...address.value, ...patch }
    void router.replace({ query: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')) })
  }
  return { address, change }
}
