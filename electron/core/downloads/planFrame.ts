import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import { AppError } from '#shared/contract/errors.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import type { CachedFile } from '#core/store/fileStore.ts'
import { planSeries, type PlannedSeries, type PreviewDeps } from './preview.ts'

/** More files than a list can show. */
const MOST_FILES = 500_000
const seriesNames = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const

/** A plan file by file. */
export async function planFrame(deps: PreviewDeps, request: DownloadRequest): Promise<Frame> {
  const names = seriesNames.map((): string[] => [])
  const periods: string[] = []
  const states: string[] = []
  const paths: (string | null)[] = []
  const bytes: (number | null)[] = []
  const fetch: number[] = []
  for await (const planned of planSeries(deps, request)) {
    const { series } = planned
    if (fetch.length + planned.periods.length > MOST_FILES)
      throw new AppError('too-large', `more than ${MOST_FILES} files`)
    const here = filesHere(deps, planned)
    planned.periods.forEach(({ period, startDay, endDay }, index) => {
      seriesNames.forEach((name, at) => names[at].push(series[name]))
      periods.push(period)
      states.push(planned.states[index])
      const files = here.filter((file) => file.startDay < endDay && file.endDay > startDay)
      paths.push(files.length === 1 ? deps.store.folder.pathOf(series, files[0].period) : null)
      bytes.push(files.length > 0 ? files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) : null)
      fetch.push(planned.wanted[index] ? 1 : 0)
    })
  }
  return {
    rows: fetch.length,
    columns: [
      ...seriesNames.map((name, at) => textColumn(name, names[at])),
      textColumn('period', periods),
      textColumn('state', states),
      textColumn('path', paths),
      numberColumn('bytes', bytes),
      numberColumn('fetch', fetch),
    ],
  }
}

function filesHere({ store }: PreviewDeps, { series, periods, states }: PlannedSeries): CachedFile[] {
  if (!states.some((state) => state === 'cached' || state === 'partial')) return []
  return store.files.ofSeries(series, periods[0].startDay, periods[periods.length - 1].endDay)
}
