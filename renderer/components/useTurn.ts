import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'
import { takeTurn } from '#shared/tables/turns.ts'

/** Returns a ref that becomes true when a heavy part of a screen may be mounted; each task mounts one part. */
export function useTurn(): ShallowRef<boolean> {
  const isDue = shallowRef(false)
  onScopeDispose(takeTurn(() => (isDue.value = true)))
  return isDue
}
