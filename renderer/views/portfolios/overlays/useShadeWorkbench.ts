import { useRouter } from 'vue-router'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { Shading } from '#shared/workspace/workspace.ts'
import { useToasts } from '../../../stores/toasts.ts'
import { useWorkspaces } from '../../../stores/workspaces.ts'

/** Builds the shading of a workspace from a history; null if it is neither a regime nor an overlay. */
export function shadingOf(request: HistoryRequest): Shading | null {
  if (request.endpoint === 'regime') return { kind: 'regime', overlay: request.overlay }
  if (request.endpoint === 'overlay') return { kind: 'overlay', portfolio: request.portfolio, overlay: request.overlay }
  return null
}

/** Puts a regime or an overlay behind the charts of the workspace that is open, and goes there. */
export function useShadeWorkbench() {
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const router = useRouter()
  return async (request: HistoryRequest): Promise<void> => {
    const shading = shadingOf(request)
    if (!shading) return
    try {
      await workspaces.start()
      await workspaces.edit((before) => ({ ...before, shading }))
      await workspaces.save()
      await router.push('/workbench')
    } catch (thrown) {
      toasts.problem(thrown)
    }
  }
}
