import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'
import { takeTurn } from '#shared/tables/turns.ts'

/** Tells when a heavy part of a screen may be mounted: parts take turns, one per task. */
export function useTurn(): ShallowRef<boolean> {
  const isDue = shallowRef(false)
  onScopeDispose(takeTurn(() => (isDue.value = true)))
  return isDue
}
