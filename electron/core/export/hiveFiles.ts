import { AppError } from '#shared/contract/errors.ts'
import { hiveReadme } from '#shared/export/hiveReadme.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { SeriesFiles } from '#core/series/seriesFiles.ts'
import { fileColumnsOf } from './fileColumns.ts'
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
  /** These series only, under the filters. */
  series?: readonly ChosenSeries[]
  startMs: number | null
  endMs: number | null
}

type ChosenSeries = Pick<OwnedSeries, 'dataset' | 'exchange' | 'symbol' | 'interval' | 'timestamp'>

const keyOf = ({ dataset, exchange, symbol, interval, timestamp }: ChosenSeries) =>
  JSON.stringify([dataset, exchange, symbol, interval, timestamp])

const FILES_AT_ONCE = 2000

/** Everything that goes into the folder; paths are relative to it, with `/`. */
export function hiveEntries(deps: ProvenanceDeps, question: HiveQuestion): HiveEntry[] {
  const { store, nowMs } = deps
  const { startMs, endMs, series: wanted, ...filter } = question
  const range = {
    ...filter,
    ...(startMs !== null && { startDay: Math.floor(startMs / MS_PER_DAY) }),
    ...(endMs !== null && { endDay: Math.ceil(endMs / MS_PER_DAY) }),
  }
  const chosen = wanted && new Set(wanted.map(keyOf))
  const files: CachedFile[] = []
  let page = store.files.page(range, null, FILES_AT_ONCE)
  while (page.length > 0) {
    files.push(...page.filter(({ series }) => !chosen || chosen.has(keyOf(series))))
    page = store.files.page(range, page.at(-1)!, FILES_AT_ONCE)
  }
  const [first] = files
  if (!first) throw new AppError('not-here', 'Nothing of this selection is in the cache on this machine.')
  const timeColumn = question.kind === 'raw' ? 'exchange_timestamp' : 'time'
  const { timeType } = fileColumnsOf(store, files, timeColumn)
  const ownFiles = files.filter(({ series }) => exampleFolder(series) === exampleFolder(first.series))
  const { fileColumns } = fileColumnsOf(store, ownFiles, timeColumn)
  const writtenAt = new Date(nowMs).toISOString()
  const provenance = provenanceOf(deps, bySeries(files), { format: 'hive', files: files.length })
  const example = { ...first.series, folder: exampleFolder(first.series), columns: fileColumns }
  const readme = hiveReadme({ kind: question.kind, files: files.length, example, timeType, writtenAt })
  return [
    textEntry('README.md', readme),
    textEntry('provenance.json', provenance),
    ...files.map(({ series, period, sizeBytes }) => ({
      path: `${folderOf(series)}/${period}.parquet`,
      source: store.folder.pathOf(series, period),
      sizeBytes,
    })),
  ]
}

/** Builds the folder of a series relative to the export's. */
const folderOf = (series: OwnedSeries) => seriesFolder(series).slice(series.kind.length + 1)
/** Builds the folder of all series of a symbol, which the README takes for its example. */
const exampleFolder = (series: OwnedSeries) => folderOf(series).split('/').slice(0, 3).join('/')

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
