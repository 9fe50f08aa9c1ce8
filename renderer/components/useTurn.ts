import { onScopeDispose, type ShallowRef, shallowRef } from 'vue'
import { takeTurn } from '#shared/tables/turns.ts'

/**
 * Returns a ref that becomes true when it is this component's turn to mount a heavy part of a screen. There is one turn
 * per task, so that the parts together do not block the window.
 */
export function useTurn(): ShallowRef<boolean> {
  const isDue = shallowRef(false)
  onScopeDispose(takeTurn(() => (isDue.value = true)))
  return isDue
}
