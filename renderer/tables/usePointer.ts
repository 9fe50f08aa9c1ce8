import { computed, shallowRef, type Ref } from 'vue'
import type { Position } from './navigation.ts'
import type { useSelection } from './useSelection.ts'

interface PointerParts {
  current: Ref<Position | null>
  selection: ReturnType<typeof useSelection>
  isChosen: (row: number) => boolean
  open: (row: number) => void
  openMenu: (row: number, x: number, y: number) => void
}

/** What pointers do on the rows: one set of listeners for all of them. */
export function usePointer({ current, selection, isChosen, open, openMenu }: PointerParts) {
  const hovered = shallowRef<number | null>(null)

  function onClick(event: MouseEvent): void {
    const at = positionOf(event)
    if (!at) return
    current.value = at
    const command = event.ctrlKey || event.metaKey
    if (event.shiftKey) void selection.chooseTo(at.row, command)
    else if (command) selection.toggleRow(at.row)
    else selection.choose(at.row)
  }

  function onMenu(event: MouseEvent): void {
    const at = positionOf(event)
    if (!at) return
    event.preventDefault()
    current.value = at
    if (!isChosen(at.row)) selection.choose(at.row)
    openMenu(at.row, event.clientX, event.clientY)
  }

  function onDoubleClick(event: MouseEvent): void {
    const at = positionOf(event)
    if (at) open(at.row)
  }

  const listeners = {
    click: onClick,
    dblclick: onDoubleClick,
    contextmenu: onMenu,
    pointerover: (event: PointerEvent) => {
      const at = positionOf(event)
      if (at) hovered.value = at.row
    },
  }
  /** The row whose actions are offered: under the pointer, else where the keyboard is. */
  const actionRow = computed(
    () => hovered.value ?? (current.value && current.value.row >= 0 ? current.value.row : null),
  )
  return { listeners, actionRow, leave: () => (hovered.value = null) }
}

/** The cell under an event, null beside all rows. */
function positionOf({ target }: Event): Position | null {
  const row = (target as Element).closest<HTMLElement>('[data-row]')
  const cell = (target as Element).closest<HTMLElement>('[data-place]')
  return row && { row: Number(row.dataset.row), column: Number(cell?.dataset.place ?? 0) }
}
