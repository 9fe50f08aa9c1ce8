import { onScopeDispose, shallowRef } from 'vue'

/** Where a dragged row would be put: before the row at a place, which may be the one after the last. */
interface Drag {
  id: string
  to: number
}

/** Moves rows of a table by their handles; `drop` is told the place of the row before which a row was dropped. */
export function useRowDrag(drop: (id: string, to: number) => void) {
  const drag = shallowRef<Drag | null>(null)

  function move({ clientX, clientY }: PointerEvent): void {
    const row = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-row]')
    if (!row || !drag.value) return
    const { top, height } = row.getBoundingClientRect()
    drag.value = { ...drag.value, to: Number(row.dataset.row) + (clientY > top + height / 2 ? 1 : 0) }
  }
  function end({ type }: Event): void {
    const dropped = drag.value
    stop()
    if (dropped && type === 'pointerup' && dropped.to >= 0) drop(dropped.id, dropped.to)
  }
  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') stop()
  }
  function stop(): void {
    drag.value = null
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', end)
    removeEventListener('pointercancel', end)
    removeEventListener('keydown', onKey)
  }
  onScopeDispose(stop)

  function start(id: string): void {
    drag.value = { id, to: -1 }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    addEventListener('keydown', onKey)
  }
  return { drag, start }
}
