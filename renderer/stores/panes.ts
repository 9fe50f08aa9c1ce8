import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, watch } from 'vue'
import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { changePane } from '#shared/workspace/edit.ts'
import { storesText } from '../text/stores.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { useWorkspaces } from './workspaces.ts'

/** Message between the windows of a workspace; windows of other workspaces ignore it. */
type PaneMessage = { workspace: string } & (
  | { kind: 'range'; range: TimeRange | null }
  | { kind: 'cursor'; timeMs: number | null }
  /** A window of a pane was opened or closed. */
  | { kind: 'opened' | 'closed'; pane: string }
  /** The main window shows the pane again. */
  | { kind: 'back'; pane: string }
)

/** Joins the message channel of the app's windows on this machine, until the current scope ends. */
export function usePaneMessages(onMessage: (message: PaneMessage) => void) {
  const channel = new BroadcastChannel('perpscope.panes')
  channel.onmessage = ({ data }: MessageEvent<PaneMessage>) => onMessage(data)
  onScopeDispose(() => channel.close())
  return { post: (message: PaneMessage) => channel.postMessage(message) }
}

/** Shares the range and cross-hair of a workspace with its other windows. */
export function useSharedView(
  workspace: () => string | undefined,
  view: { range: () => TimeRange | null; setRange(range: TimeRange | null): void; cursorMs: () => number | null },
) {
  const linkedMs = ref<number | null>(null)
  /** Range that another window sent last, as JSON, so that it is not sent back. */
  let receivedRange = ''
  let sendTimer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(sendTimer))
  const { post } = usePaneMessages((message) => {
    if (message.workspace !== workspace()) return
    if (message.kind === 'cursor') linkedMs.value = message.timeMs
    if (message.kind !== 'range') return
    receivedRange = JSON.stringify(message.range)
    if (receivedRange !== JSON.stringify(view.range())) view.setRange(message.range)
  })
  watch(
    () => JSON.stringify(view.range()),
    (now) => {
      const id = workspace()
      clearTimeout(sendTimer)
      // The range is sent after this window has painted it.
      if (id !== undefined && now !== receivedRange)
        sendTimer = setTimeout(() => post({ kind: 'range', workspace: id, range: JSON.parse(now) }))
      receivedRange = ''
    },
  )
  watch(view.cursorMs, (timeMs) => {
    const id = workspace()
    if (id !== undefined) post({ kind: 'cursor', workspace: id, timeMs })
  })
  return { linkedMs }
}

/** Panes of the open workspace that are shown in their own windows; the main window keeps track of them. */
export const usePanes = defineStore('panes', () => {
  const host = useHost()
  const toasts = useToasts()
  const workspaces = useWorkspaces()
  const isDesktop = host.connectedHost().kind === 'desktop'

  const inOwnWindows = computed(() => workspaces.content.panes.filter((pane) => pane.apart))

  function setApart({ workspace, pane }: PaneWindow, isApart: boolean): void {
    if (workspaces.current?.id !== workspace) return
    const paneBefore = workspaces.document.panes.find(({ id }) => id === pane)
    if (!paneBefore || (paneBefore.apart ?? false) === isApart) return
    const next = changePane(workspaces.document, pane, { apart: isApart || undefined })
    void workspaces.edit(() => next, { quiet: true }).catch(toasts.problem)
  }

  const { post } = usePaneMessages((message) => {
    if (message.kind === 'opened' || message.kind === 'closed') setApart(message, message.kind === 'opened')
  })
  host.on('app.paneClosed', (pane) => setApart(pane, false))

  /** Opens a window for a pane, or shows the window that the pane already has. */
  async function show(pane: string): Promise<void> {
    // The workspace is saved first, because the pane's window reads the saved version.
    await workspaces.save()
    const workspace = workspaces.current?.id
    if (workspace === undefined) return
    await host.connectedHost().openPane({ workspace, pane }, false)
    setApart({ workspace, pane }, true)
  }

  function bringBack(pane: string): void {
    const workspace = workspaces.current?.id
    if (workspace === undefined) return
    setApart({ workspace, pane }, false)
    post({ kind: 'back', workspace, pane })
  }

  // The desktop app opens the windows of panes again. A browser restores its tabs itself and opens others only on a click.
  watch(
    () => workspaces.current?.id,
    async (workspace) => {
      if (workspace === undefined || !isDesktop) return
      for (const { id: pane } of inOwnWindows.value)
        await host.connectedHost().openPane({ workspace, pane }, true).catch(toasts.problem)
    },
    { immediate: true },
  )

  return { inOwnWindows, show, bringBack, title: isDesktop ? storesText.panes.window : storesText.panes.tab }
})
