import { ref } from 'vue'

export interface DragOrderDeps {
  /** The download in this row; null where there is none. */
  idAt(row: number): number | null
  isChosen(id: number): boolean
  chosen(): number[]
  /** Puts them before this one; null: last. */
  move(ids: number[], beforeId: number | null): unknown
}

const TYPE = 'application/x-perpscope-downloads'

/** Rows of the queue by the pointer: a handle is dragged onto the row that it shall stand before. */
export function useDragOrder({ idAt, isChosen, chosen, move }: DragOrderDeps) {
  /** The row that what is dragged would stand before; null while nothing is dragged over the table. */
  const before = ref<number | null>(null)
  let dragged: number[] = []

  function rowOf({ target, clientY }: DragEvent): number | null {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    if (!row) return null
    const { top, height } = row.getBoundingClientRect()
    return Number(row.dataset.row) + (clientY > top + height / 2 ? 1 : 0)
  }

  function start(event: DragEvent, id: number): void {
    dragged = isChosen(id) ? chosen() : [id]
    if (!event.dataTransfer) return
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData(TYPE, String(id))
  }

  function over(event: DragEvent): void {
    if (dragged.length === 0) return
    event.preventDefault()
    before.value = rowOf(event)
  }

  function drop(event: DragEvent): void {
    if (dragged.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    const row = rowOf(event)
    if (row !== null) move(dragged, idAt(row))
    end()
  }

  function end(): void {
    dragged = []
    before.value = null
  }

  return { before, start, over, drop, end }
}
