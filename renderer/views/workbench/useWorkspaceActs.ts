import type { Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { documentOf, shownSeries } from '#shared/workspace/shownSeries.ts'
import { useCommands } from '../../stores/commands.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import type { Asking } from './useWorkbenchActions.ts'
import { workbenchText } from '../../text/workbench.ts'

const QUICK_LOOK = workbenchText.workspace.quickLook

/** Provides the actions on whole workspaces and on addresses that open them. */
export function useWorkspaceActs(asking: Ref<Asking | null>) {
  const workspaces = useWorkspaces()
  const commands = useCommands()
  const route = useRoute()
  const router = useRouter()

  /** Opens the series of a link in a workspace of their own, so that no saved workspace changes. */
  async function showLinked(): Promise<void> {
    const sources = typeof route.query.show === 'string' ? shownSeries(route.query.show) : null
    if (!sources) return
    const linked = documentOf(sources)
    const known = workspaces.list.find(({ name }) => name === QUICK_LOOK)
    if (known) {
      if (known.id !== workspaces.current?.id) await workspaces.open(known.id)
      await workspaces.edit(() => linked)
    } else await workspaces.create(QUICK_LOOK, linked)
    await router.replace('/workbench')
  }

  async function act(action: string): Promise<void> {
    if (action === 'new') await workspaces.create(workbenchText.workspace.firstName)
    if (action === 'duplicate')
      await workspaces.create(workspaces.name || workbenchText.workspace.firstName, workspaces.document)
    if (action === 'rename' && workspaces.current) asking.value = { kind: 'rename' }
    if (action === 'remove' && workspaces.current) asking.value = { kind: 'remove' }
    if (action === 'openFile') commands.run('workspace.open')
    if (action === 'saveFile') commands.run('workspace.save')
  }

  return { act, showLinked }
}
