import type { Ref } from 'vue'
import type { DownloadState, WhichDownloads } from '#shared/contract/areas/downloads.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { useCommands } from '../../stores/commands.ts'
import { useDownloads } from '../../stores/downloads.ts'
import { useToasts } from '../../stores/toasts.ts'
import type { Selection } from '../../tables/selection.ts'

interface DownloadFilter {
  states: DownloadState[]
  text: string
}

interface ActionDeps {
  selection: Ref<Selection>
  /** The filter of the rows that are shown. */
  filter: () => Promise<DownloadFilter>
  /** The row that the keyboard is at; null where it is at none. */
  currentId: () => number | null
  priorityOf: (id: number) => number
}

export type ActionName = 'pause' | 'resume' | 'cancel' | 'retry'

const said: Record<ActionName, string> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'queued again',
}
const MOST_AT_ONCE = 1000
const PRIORITY_STEP = 10

/** Provides the actions on the selected downloads, or on all shown ones if none is selected. */
export function useDownloadActions({ selection, filter, currentId, priorityOf }: ActionDeps) {
  const downloads = useDownloads()
  const commands = useCommands()
  const toasts = useToasts()

  /** All that are shown, less the ones that were taken out of the choice. */
  async function allBut(excepted: ReadonlySet<number | string>, shown: DownloadFilter): Promise<number[]> {
    const ids: number[] = []
    for (let offset = 0; ; offset += MOST_AT_ONCE) {
      const page = await downloads.list({ filter: shown, offset, limit: MOST_AT_ONCE }, {})
      ids.push(...page.downloads.map(({ id }) => id).filter((id) => !excepted.has(id)))
      if (page.downloads.length < MOST_AT_ONCE) return ids
    }
  }

  async function which(): Promise<WhichDownloads> {
    const shown = await filter()
    const { everything, ids } = selection.value
    if (ids.size === 0) return { filter: shown }
    return { ids: everything ? await allBut(ids, shown) : [...ids].map(Number) }
  }

  /** Picks the target of a key: the selected rows or the current row, never all of them. */
  function forKey(): WhichDownloads | null {
    const { everything, ids } = selection.value
    if (everything || ids.size > 0) return null
    const current = currentId()
    return { ids: current === null ? [] : [current] }
  }

  const act = (name: ActionName, of: WhichDownloads | null = null) =>
    commands.attempt(async () => {
      const jobs = await downloads[name](of ?? (await which()))
      toasts.show({
        kind: 'note',
        message: `${formatNumber(jobs, 0)} ${jobs === 1 ? 'download' : 'downloads'} ${said[name]}`,
      })
    })

  /** Raises or lowers the priority by one step relative to the first download. */
  const raise = (steps: number, of: WhichDownloads | null = null) =>
    commands.attempt(async () => {
      const target = of ?? (await which())
      const first = 'ids' in target ? (target.ids[0] ?? null) : currentId()
      const priority = (first === null ? 0 : priorityOf(first)) + steps * PRIORITY_STEP
      await downloads.prioritise(target, Math.max(-1000, Math.min(1000, priority)))
    })

  const move = (beforeId: number | null) =>
    commands.attempt(async () => {
      const { everything, ids } = selection.value
      const current = currentId()
      const moved = everything ? [] : ids.size > 0 ? [...ids].map(Number) : current === null ? [] : [current]
      if (moved.length > 0) await downloads.reorder(moved.slice(0, MOST_AT_ONCE), beforeId)
    })

  const moveThese = (ids: readonly number[], beforeId: number | null) =>
    commands.attempt(() => downloads.reorder(ids.slice(0, MOST_AT_ONCE), beforeId))

  return { act, raise, move, moveThese, forKey }
}
