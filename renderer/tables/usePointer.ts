import { computed, onBeforeUnmount, shallowRef, type Ref } from 'vue'
import type { CellPosition } from './useKeys.ts'
import type { useSelection } from './selection.ts'

interface PointerDeps {
  current: Ref<CellPosition | null>
  selection: ReturnType<typeof useSelection>
  open: (row: number) => void
  openMenu: (row: number, x: number, y: number) => void
  wholeValue: (position: CellPosition) => string
}

/** Time without movement after which the user no longer counts as about to click. */
const POINTING_MS = 5000

/** Handles pointer events on the rows with one set of listeners for all. */
export function useTablePointer({ current, selection, open, openMenu, wholeValue }: PointerDeps) {
  const hoveredRow = shallowRef<number | null>(null)
  const isPointing = shallowRef(false)
  let restTimer: ReturnType<typeof setTimeout> | undefined
  let movedAtMs = 0

  /**
   * Records that the pointer moved; the timer is not restarted each time, because moves come hundreds of times a
   * second.
   */
  function onPointerMove(): void {
    movedAtMs = performance.now()
    if (isPointing.value) return
    isPointing.value = true
    restTimer = setTimeout(rest, POINTING_MS)
  }
  function rest(): void {
    const remainingMs = movedAtMs + POINTING_MS - performance.now()
    if (remainingMs > 0) restTimer = setTimeout(rest, remainingMs)
    else isPointing.value = false
  }
  function leave(): void {
    clearTimeout(restTimer)
    isPointing.value = false
    hoveredRow.value = null
  }
  onBeforeUnmount(() => clearTimeout(restTimer))

  function onClick(event: MouseEvent): void {
    const position = positionOf(event)
    if (!position) return
    current.value = position
    const command = event.ctrlKey || event.metaKey
    if (event.shiftKey) void selection.chooseTo(position.row, command)
    else if (command) selection.toggleRow(position.row)
    else selection.choose(position.row)
  }

  function onMenu(event: MouseEvent): void {
    const position = positionOf(event)
    if (!position) return
    event.preventDefault()
    current.value = position
    openMenu(position.row, event.clientX, event.clientY)
  }

  function onDoubleClick(event: MouseEvent): void {
    const position = positionOf(event)
    if (position) open(position.row)
  }

  /** Sets the tooltip of the cell under the pointer; setting it on every cell would slow down scrolling. */
  function onPointerOver(event: Event): void {
    const position = positionOf(event)
    if (!position) return
    hoveredRow.value = position.row
    const cell = cellOf(event.target)
    if (cell && !isMissing(cell)) cell.title = wholeValue(position)
  }

  function onPointerOut({ target }: Event): void {
    const cell = cellOf(target)
    if (cell && !isMissing(cell)) cell.removeAttribute('title')
  }

  const listeners = {
    click: onClick,
    dblclick: onDoubleClick,
    contextmenu: onMenu,
    pointermove: onPointerMove,
    pointerover: onPointerOver,
    pointerout: onPointerOut,
  }
  /** Row that shows its actions: the one under the pointer, else the one with the keyboard focus. */
  const actionRow = computed(
    () => hoveredRow.value ?? (current.value && current.value.row >= 0 ? current.value.row : null),
  )
  return { listeners, actionRow, isPointing, leave }
}

/** Tells whether the value of a cell is missing; such a cell always has a tooltip. */
const isMissing = (cell: HTMLElement) => cell.classList.contains('missing')

const cellOf = (target: EventTarget | null) => (target as Element).closest<HTMLElement>('[data-place]')

/** Finds the cell position of an event; null outside of all rows. */
function positionOf({ target }: Event): CellPosition | null {
  const row = (target as Element).closest<HTMLElement>('[data-row]')
  return row && { row: Number(row.dataset.row), column: Number(cellOf(target)?.dataset.place ?? 0) }
}
