import { shallowRef, watch } from 'vue'
import type { BoardDocument } from '#shared/contract/areas/boards.ts'
import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { lastDays } from '#shared/contract/playbooks/parameters.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { useDownloads } from '../../stores/downloads.ts'
import { useHost } from '../../stores/host.ts'

/** Files that a board needs and that are not on this machine. */
interface BoardNeeds {
  files: number
  requests: DownloadRequest[]
}

/** Requests for the columns that the charts of a board show, over the days of the board. */
function chartRequests({ parts, parameters }: BoardDocument): DownloadRequest[] {
  const sources = parts.flatMap(({ content }) =>
    content.kind === 'workbench'
      ? content.document.panes.flatMap(({ series }) => series.map((each) => each.source))
      : [],
  )
  const columns = sources.flatMap((source) =>
    source.kind === 'column' && source.origin === 'service' && !source.dataset.includes(':') ? [source] : [],
  )
  const { start, end } = lastDays(parameters?.days ?? 30, Date.now())
  const groups = Map.groupBy(columns, ({ exchange, symbol, interval, timestamp }) =>
    JSON.stringify([exchange, symbol, interval, timestamp]),
  )
  return [...groups.values()].map((all): DownloadRequest => {
    const [{ exchange, symbol, interval, timestamp }] = all
    return {
      ...{ connectionId: '', kind: 'metrics', datasets: [...new Set(all.map(({ dataset }) => dataset))] },
      ...{ exchanges: [exchange], symbols: [symbol], intervals: [interval], timestamps: [timestamp] },
      ...{ startDay: start, endDay: end, refresh: false, tryLocked: false, tryRefused: false },
    }
  })
}

/** Tells whether a request has a dataset for the series of another one. */
const covers = (
  request: DownloadRequest,
  { symbols, intervals, timestamps }: DownloadRequest,
  dataset: string,
): boolean =>
  request.datasets.includes(dataset) &&
  symbols.every((each) => request.symbols.includes(each)) &&
  intervals.every((each) => request.intervals.includes(each)) &&
  timestamps.every((each) => request.timestamps.includes(each))

/** Finds, whenever a board changes, what its charts and studies lack. */
export function useBoardNeeds(board: () => BoardDocument | null) {
  const host = useHost()
  const downloads = useDownloads()
  const needs = shallowRef<BoardNeeds | null>(null)

  async function find(document: BoardDocument, signal: AbortSignal): Promise<BoardNeeds> {
    const found: BoardNeeds = { files: 0, requests: [] }
    for (const { content } of document.parts) {
      if (content.kind !== 'study' || !isRecord(content.document)) continue
      const study = { version: 1 as const, study: content.document, panel: null }
      const { files, requests } = await host.call('lab.missing', { document: study }, { signal })
      found.files += files
      found.requests.push(...requests)
    }
    for (const request of chartRequests(document)) {
      // What a study asks for already is not asked for again.
      const datasets = request.datasets.filter(
        (dataset) => !found.requests.some((other) => covers(other, request, dataset)),
      )
      if (datasets.length === 0) continue
      const { toFetch } = await downloads.preview({ ...request, datasets }, { signal })
      found.files += toFetch
      if (toFetch > 0) found.requests.push({ ...request, datasets })
    }
    return found
  }

  let controller = new AbortController()
  /** True while it is not known what is missing. */
  const isLooking = shallowRef(false)
  let looked: Promise<void> = Promise.resolve()
  const look = (): Promise<void> => (looked = lookNow())

  async function lookNow(): Promise<void> {
    controller.abort()
    const { signal } = (controller = new AbortController())
    const document = board()
    needs.value = null
    // A board without parameters may be about anything, so nothing is offered for it.
    isLooking.value = !!document?.parameters
    if (!document?.parameters) return
    try {
      const found = await find(document, signal)
      if (!signal.aborted) needs.value = found
    } catch {
      // Without the lists of a service, nothing can be offered; the parts say what they lack.
    } finally {
      if (!signal.aborted) isLooking.value = false
    }
  }
  watch(() => JSON.stringify(board()), look, { immediate: true })

  return {
    needs,
    isLooking,
    look,
    /** Downloads what is missing, as soon as that is known. */
    async download(label: string): Promise<void> {
      await looked
      for (const request of needs.value?.requests ?? []) await downloads.enqueue(request, label)
      await look()
    },
  }
}
