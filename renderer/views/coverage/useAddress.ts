import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { readAddress, writeAddress, type CoverageAddress } from './coverageAddress.ts'

/** What is chosen on the screen: read from the address, and changed by writing it. */
export function useAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readAddress(route.query))
  function change(patch: Partial<CoverageAddress>): void {
    void router.replace({ query: writeAddress({ ...readAddress(router.currentRoute.value.query), ...patch }) })
  }
  return { address, change }
}
