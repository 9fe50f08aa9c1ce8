import { AppError } from '#shared/contract/errors.ts'
import { hiveReadme } from '#shared/export/hiveReadme.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { SeriesFiles } from '#core/series/seriesFiles.ts'
import { provenanceOf, type ProvenanceDeps } from './provenance.ts'

/** A file of a Hive folder: a cached one, or text. */
export type HiveEntry = { path: string; sizeBytes: number } & ({ source: string } | { text: string })

export interface HiveQuestion {
  connectionId: string
  kind: 'metrics' | 'raw'
  datasets?: readonly string[]
  exchanges?: readonly string[]
  symbols?: readonly string[]
  intervals?: readonly string[]
  timestamps?: readonly string[]
  startMs: number | null
  endMs: number | null
}

const FILES_AT_ONCE = 2000

/** Everything that goes into the folder; paths are relative to it, with `/`. */
export function hiveEntries(deps: ProvenanceDeps, question: HiveQuestion): HiveEntry[] {
  const { store, nowMs } = deps
  const { startMs, endMs, ...filter } = question
  const range = {
    ...filter,
    ...(startMs !== null && { startDay: Math.floor(startMs / MS_PER_DAY) }),
    ...(endMs !== null && { endDay: Math.ceil(endMs / MS_PER_DAY) }),
  }
  const files: CachedFile[] = []
  for (
    let page = store.files.page(range, null, FILES_AT_ONCE);
    page.length > 0;
    page = store.files.page(range, page.at(-1)!, FILES_AT_ONCE)
  )
    files.push(...page)
  const [first] = files
  if (!first) throw new AppError('not-here', 'Nothing of this selection is in the cache on this machine.')
  const timeType = store.files
    .facts(first.series, first.period)
    ?.columns.some(({ name, type }) => name === 'time' && !type.startsWith('timestamp'))
    ? 'milliseconds'
    : 'timestamp'
  const writtenAt = new Date(nowMs).toISOString()
  const provenance = provenanceOf(deps, bySeries(files), { format: 'hive', files: files.length })
  const readme = hiveReadme({ kind: question.kind, files: files.length, example: first.series, timeType, writtenAt })
  return [
    textEntry('README.md', readme),
    textEntry('provenance.json', provenance),
    ...files.map(({ series, period, sizeBytes }) => ({
      path: `${seriesFolder(series).slice(series.kind.length + 1)}/${period}.parquet`,
      source: store.folder.pathOf(series, period),
      sizeBytes,
    })),
  ]
}

const textEntry = (path: string, text: string): HiveEntry => ({ path, text, sizeBytes: Buffer.byteLength(text) })

function bySeries(files: readonly CachedFile[]): SeriesFiles[] {
  const groups = new Map<string, CachedFile[]>()
  for (const file of files) {
    const folder = seriesFolder(file.series)
    groups.set(folder, [...(groups.get(folder) ?? []), file])
  }
  return [...groups.values()].map((own) => {
    const stretches = own.map((file) => ({
      file,
      startMs: file.startDay * MS_PER_DAY,
      endMs: file.endDay * MS_PER_DAY,
    }))
    const { series } = own[0]
    return {
      series,
      timestamp: series.timestamp === 'true' ? 'true' : 'exchange',
      range: { startMs: stretches[0].startMs, endMs: stretches.at(-1)!.endMs },
      stretches,
    }
  })
}
