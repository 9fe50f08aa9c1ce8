import { watch } from 'vue'
import { useRoute } from 'vue-router'
import { onCacheChange } from '../../stores/cache.ts'
import { useSettings } from '../../stores/settings.ts'
import { useToasts } from '../../stores/toasts.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'

/** Delay from a change in the downloads to the refresh of the chart; changes during the delay add no refresh. */
const FOLLOW_EVERY_MS = 800

/**
 * Opens the sample on the first start, once its downloads are queued and if there is no workspace yet, and refreshes
 * the chart when cached files change.
 */
export function useFirstChart(refresh: () => void): void {
  const settings = useSettings()
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const route = useRoute()

  watch([() => settings.current.sampleData, () => workspaces.isLoaded], ([sampleData, isLoaded]) => {
    const isFirst = sampleData === 'here' && isLoaded && workspaces.list.length === 0 && !route.query.show
    if (isFirst) void workspaces.openFirstSample().catch(toasts.problem)
  })
  onCacheChange(refresh, FOLLOW_EVERY_MS)
}
