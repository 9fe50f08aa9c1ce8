import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { readAddress, writeAddress, type CoverageAddress } from './coverageAddress.ts'

/** Reads the selection from the address, and changes it by writing the address. */
export function useAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readAddress(route.query))
  function change(patch: Partial<CoverageAddress>): void {
    void router.replace({ query: writeAddress({ ...readAddress(router.currentRoute.value.query), ...patch }) })
  }
  return { address, change }
}
