import { onScopeDispose, watch } from 'vue'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { dayOf } from '#shared/time.ts'
import { columnsBehind } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, WorkspaceContent } from '#shared/workspace/workspaceSchema.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { Band } from '../../charts/model.ts'
import { useNetwork } from '../../stores/app.ts'
import { useDownloads } from '../../stores/downloads.ts'
import { useHost } from '../../stores/host.ts'
import { useToasts } from '../../stores/toasts.ts'
import { seriesOf } from './seriesData.ts'
import { workbenchText } from '../../text/workbench.ts'

const { download: text } = workbenchText

/** Delay from a change in files or downloads to the refresh of the chart; changes during the delay add no refresh. */
const FOLLOW_EVERY_MS = 1500

/**
 * Provides downloads of missing data, for a shaded range or the view, and calls `filesChanged` when cached files
 * have changed.
 */
export function useDownloadMissing(document: () => WorkspaceContent, filesChanged: () => void) {
  const downloads = useDownloads()
  const toasts = useToasts()
  const network = useNetwork()
  const host = useHost()

  const download = (band: Band) =>
    fetchMissing(
      document().panes.filter(({ id }) => id === band.paneId),
      band,
      band.isUnreadable ?? false,
    )
  const downloadView = (view: TimeRange) => fetchMissing(document().panes, view, false)

  async function fetchMissing(
    panes: WorkspaceContent['panes'],
    { startMs, endMs }: TimeRange,
    refresh: boolean,
  ): Promise<void> {
    const sources = new Map<string, ColumnSource>()
    for (const { source } of allSeries({ panes })) {
      const columns = source.kind === 'column' ? [source] : columnsOf(document())
      for (const each of columns) if (each.origin === 'service') sources.set(JSON.stringify(seriesOf(each)), each)
    }
    let fileCount = 0
    for (const { dataset, exchange, symbol, interval, timestamp } of sources.values()) {
      const request: DownloadRequest = {
        connectionId: '',
        kind: 'metrics',
        datasets: [dataset],
        exchanges: [exchange],
        symbols: [symbol],
        intervals: [interval],
        timestamps: [timestamp],
        startDay: dayOf(startMs),
        endDay: dayOf(Math.max(startMs, Math.min(endMs, Date.now()) - 1)),
        refresh,
        tryLocked: false,
        tryRefused: false,
      }
      const added = await downloads.enqueue(request, text.label(dataset))
      fileCount += added.added
    }
    if (fileCount === 0) toasts.show({ kind: 'note', message: text.nothing })
    else if (network.state.offline) toasts.show({ kind: 'note', message: text.waiting(fileCount) })
    else toasts.show({ kind: 'done', message: text.started(fileCount) })
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const reportSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      filesChanged()
    }, FOLLOW_EVERY_MS)
  }
  watch(() => downloads.changeCount, reportSoon)
  const stop = host.on('cache.changed', reportSoon)
  onScopeDispose(() => {
    clearTimeout(timer)
    stop()
  })

  return { download, downloadView }
}

/** Lists all columns of the workspace, including those that formulas use, because any of them may be missing. */
function columnsOf(document: WorkspaceContent): ColumnSource[] {
  const all = allSeries(document)
  return all
    .flatMap((entry) => columnsBehind(entry, all))
    .flatMap(({ source }) => (source.kind === 'column' ? source : []))
}
