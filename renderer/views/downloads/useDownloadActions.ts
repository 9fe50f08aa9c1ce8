import { ref, type Ref } from 'vue'
import type { DownloadState, WhichDownloads } from '#shared/contract/areas/downloads.ts'
import { useCommands } from '../../stores/commands.ts'
import { useDownloads } from '../../stores/downloads.ts'
import { useToasts } from '../../stores/toasts.ts'
import type { Selection } from '../../tables/selection.ts'
import { downloadsText } from '../../text/downloads.ts'

interface DownloadFilter {
  states: DownloadState[]
  text: string
}

interface ActionDeps {
  selection: Ref<Selection>
  /** Returns the filter of the rows on screen. */
  filter: () => Promise<DownloadFilter>
  /** Returns the download of the current row; null if there is none. */
  currentId: () => number | null
  priorityOf: (id: number) => number
  /** Called after reordering, to show the new order at once instead of with the next periodic refresh. */
  onReordered: () => void
}

export type ActionName = 'pause' | 'resume' | 'cancel' | 'retry'

const MOST_AT_ONCE = 1000
const PRIORITY_STEP = 10

/** Actions on the selected downloads, or on all shown ones if none is selected. */
export function useDownloadActions({ selection, filter, currentId, priorityOf, onReordered }: ActionDeps) {
  const downloads = useDownloads()
  const commands = useCommands()
  const toasts = useToasts()

  /** Lists the ids of all shown downloads except the deselected ones. */
  async function allExcept(deselected: ReadonlySet<number | string>, shownFilter: DownloadFilter): Promise<number[]> {
    const ids: number[] = []
    for (let offset = 0; ; offset += MOST_AT_ONCE) {
      const page = await downloads.list({ filter: shownFilter, offset, limit: MOST_AT_ONCE }, {})
      ids.push(...page.downloads.map(({ id }) => id).filter((id) => !deselected.has(id)))
      if (page.downloads.length < MOST_AT_ONCE) return ids
    }
  }

  async function targetDownloads(): Promise<WhichDownloads> {
    const shownFilter = await filter()
    const { everything, ids } = selection.value
    if (ids.size === 0) return { filter: shownFilter }
    return { ids: everything ? await allExcept(ids, shownFilter) : [...ids].map(Number) }
  }

  /**
   * Returns the downloads on which a keyboard shortcut acts; null stands for the selected ones. If none is selected, it
   * acts on the current download or, without one, on nothing.
   */
  function downloadsForKey(): WhichDownloads | null {
    const { everything, ids } = selection.value
    if (everything || ids.size > 0) return null
    const current = currentId()
    return { ids: current === null ? [] : [current] }
  }

  const act = (name: ActionName, wanted: WhichDownloads | null = null) =>
    commands.attempt(async () => {
      const changedCount = await downloads[name](wanted ?? (await targetDownloads()))
      toasts.show({
        kind: 'note',
        message: downloadsText.actions[name](changedCount),
      })
    })

  /**
   * Gives downloads a common priority: the priority of the first of them plus some steps, within limits. If the
   * downloads are given by a filter, the current download counts as the first.
   */
  const shiftPriority = (steps: number, wanted: WhichDownloads | null = null) =>
    commands.attempt(async () => {
      const target = wanted ?? (await targetDownloads())
      const firstId = 'ids' in target ? (target.ids[0] ?? null) : currentId()
      const priority = (firstId === null ? 0 : priorityOf(firstId)) + steps * PRIORITY_STEP
      await downloads.prioritise(target, Math.max(-1000, Math.min(1000, priority)))
      onReordered()
    })

  async function reorder(ids: readonly number[], beforeId: number | null): Promise<void> {
    await downloads.reorder(ids.slice(0, MOST_AT_ONCE), beforeId)
    onReordered()
  }

  const move = (beforeId: number | null) =>
    commands.attempt(async () => {
      const { everything, ids } = selection.value
      const current = currentId()
      const movedIds = everything ? [] : ids.size > 0 ? [...ids].map(Number) : current === null ? [] : [current]
      if (movedIds.length > 0) await reorder(movedIds, beforeId)
    })

  const moveDownloads = (ids: readonly number[], beforeId: number | null) =>
    commands.attempt(() => reorder(ids, beforeId))

  return { act, shiftPriority, move, moveDownloads, downloadsForKey }
}

interface DragOrderDeps {
  /** Returns the download of a row; null if there is none. */
  idAt(row: number): number | null
  isChosen(id: number): boolean
  chosen(): number[]
  /** Moves downloads before another one, or to the end for null. */
  move(ids: number[], beforeId: number | null): unknown
}

const DRAG_TYPE = 'application/x-perpscope-downloads'

/** Reorders the queue by dragging a row's handle; a selected row takes all selected rows with it. */
export function useDragOrder({ idAt, isChosen, chosen, move }: DragOrderDeps) {
  /** Row before which the dragged rows would be inserted; null while they are not over a row. */
  const dropBeforeRow = ref<number | null>(null)
  let draggedIds: number[] = []

  /**
   * Returns the row before which a drop would insert; one past the last row for a drop at the end, null outside the
   * rows.
   */
  function insertionRow({ target, clientY }: DragEvent): number | null {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    if (!row) return null
    const { top, height } = row.getBoundingClientRect()
    return Number(row.dataset.row) + (clientY > top + height / 2 ? 1 : 0)
  }

  function start(event: DragEvent, id: number): void {
    draggedIds = isChosen(id) ? chosen() : [id]
    if (!event.dataTransfer) return
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData(DRAG_TYPE, String(id))
  }

  function over(event: DragEvent): void {
    if (draggedIds.length === 0) return
    event.preventDefault()
    dropBeforeRow.value = insertionRow(event)
  }

  function drop(event: DragEvent): void {
    if (draggedIds.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    const row = insertionRow(event)
    if (row !== null) move(draggedIds, idAt(row))
    end()
  }

  function end(): void {
    draggedIds = []
    dropBeforeRow.value = null
  }

  return { dropBeforeRow, start, over, drop, end }
}
