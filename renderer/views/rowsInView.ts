import { onUnmounted, type Ref, watch } from 'vue'
import { useStatus } from '../stores/status.ts'

/** Shows the number of a table's rows in the status line while the table is on screen. */
export function useRowsInView(counts: Ref<{ shown: number; isKnown: boolean }>): void {
  const status = useStatus()
  watch(counts, ({ shown, isKnown }) => (status.rowsInView = isKnown ? shown : null), { immediate: true })
  onUnmounted(() => (status.rowsInView = null))
}
