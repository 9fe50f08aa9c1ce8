import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Pack } from 'tar-stream'
import type { WindowHost } from '#core/ports.ts'
import type { SeriesFiles } from '#core/series/seriesFiles.ts'
import type { FileFilter } from '#core/store/fileFilter.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { ExportResult } from '#shared/contract/areas/series.ts'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, isDiskFull } from '#shared/units/fileKind.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { hiveReadme } from '#shared/export/hiveReadme.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { fileColumnsOf } from './fileColumns.ts'
import { type ProvenanceDeps, provenanceOf } from './provenance.ts'

interface HiveContext {
  host: WindowHost
  signal: AbortSignal
  progress(progress: Progress): void
}

const NAME = 'perpscope-hive'

/** Exports cached files in Hive partitions: as a folder if the host can write one, else as one tar file. */
export async function exportHive(
  deps: ProvenanceDeps,
  request: HiveRequest,
  { host, signal, progress }: HiveContext,
): Promise<ExportResult | null> {
  const entries = hiveEntries(deps, request)
  let done = 0
  const onEntry = () => progress({ done: ++done, total: entries.length, message: 'files written' })
  const saved = host.saveFolder
    ? await host.saveFolder(NAME, (folder) => writeEntries(folder, entries, signal, onEntry))
    : await saveTar(host, entries, new Date(deps.nowMs), signal, onEntry)
  const files = entries.filter((entry) => 'source' in entry).length
  const noFacts = { unread: [], columns: [], unitWarnings: [], modelledTimes: [], notes: [] }
  return saved && { ...saved, rows: 0, duplicates: 0, files, ...noFacts }
}

async function saveTar(
  host: WindowHost,
  entries: readonly HiveEntry[],
  writtenAt: Date,
  signal: AbortSignal,
  onEntry: () => void,
) {
  // The library is loaded on demand: few sessions write an archive, and loading it always would slow every start.
  const { pack } = await import('tar-stream')
  return host.save({ name: `${NAME}.tar`, type: 'application/x-tar' }, () =>
    tarOf(pack(), entries, writtenAt, signal, onEntry),
  )
}

async function writeEntries(folder: string, entries: readonly HiveEntry[], signal: AbortSignal, onEntry: () => void) {
  for (const entry of entries) {
    signal.throwIfAborted()
    const target = join(folder, ...entry.path.split('/'))
    try {
      await mkdir(dirname(target), { recursive: true })
      if ('text' in entry) await writeFile(target, entry.text)
      // The copy shares blocks if the disk supports it, but is never a link: changing one file must not change the
      // other.
      else await copyFile(entry.source, target, constants.COPYFILE_FICLONE)
    } catch (thrown) {
      throw copyError(entry.path, thrown)
    }
    onEntry()
  }
}

function copyError(path: string, cause: unknown): unknown {
  const code = codeOf(cause)
  // The host names the folder on the full disk.
  if (isDiskFull(code)) return cause
  return new AppError(code === 'ENOENT' ? 'corrupt-file' : 'unsupported', `${path} could not be copied (${code}).`, {
    cause,
  })
}

/** An entry of the exported folder: a cached file, or text. */
export type HiveEntry = { path: string; sizeBytes: number } & ({ source: string } | { text: string })

interface HiveRequest {
  connectionId: string
  kind: 'metrics' | 'raw'
  datasets?: readonly string[]
  exchanges?: readonly string[]
  symbols?: readonly string[]
  pairs?: FileFilter['pairs']
  intervals?: readonly string[]
  timestamps?: readonly string[]
  /** Limits the export to these series; by default, all series that match the filters are exported. */
  series?: readonly ChosenSeries[]
  startMs: number | null
  endMs: number | null
}

type ChosenSeries = Pick<OwnedSeries, 'dataset' | 'exchange' | 'symbol' | 'interval' | 'timestamp'>

const keyOf = ({ dataset, exchange, symbol, interval, timestamp }: ChosenSeries) =>
  JSON.stringify([dataset, exchange, symbol, interval, timestamp])

const FILES_PER_PAGE = 2000

/** Finds the cached files of a request; throws if there are none. */
export function hiveFiles(store: ProvenanceDeps['store'], request: HiveRequest): CachedFile[] {
  const { startMs, endMs, series: wantedSeries, ...filter } = request
  const fileFilter = {
    ...filter,
    ...(startMs !== null && { startDay: Math.floor(startMs / MS_PER_DAY) }),
    ...(endMs !== null && { endDay: Math.ceil(endMs / MS_PER_DAY) }),
  }
  const chosenKeys = wantedSeries && new Set(wantedSeries.map(keyOf))
  const files: CachedFile[] = []
  let page = store.files.page(fileFilter, null, FILES_PER_PAGE)
  while (page.length > 0) {
    files.push(...page.filter(({ series }) => !chosenKeys || chosenKeys.has(keyOf(series))))
    page = store.files.page(fileFilter, page.at(-1)!, FILES_PER_PAGE)
  }
  if (files.length === 0) throw new AppError('not-here', 'No file of this selection is in the cache on this machine.')
  return files
}

/** Lists everything that goes into the folder, with paths relative to it and `/` as separator. */
function hiveEntries(deps: ProvenanceDeps, request: HiveRequest): HiveEntry[] {
  const { store, nowMs } = deps
  const files = hiveFiles(store, request)
  const [first] = files
  const timeColumn = request.kind === 'raw' ? 'exchange_timestamp' : 'time'
  const { timeType } = fileColumnsOf(store, files, timeColumn)
  const exampleFiles = files.filter(({ series }) => exampleFolder(series) === exampleFolder(first.series))
  const { fileColumns } = fileColumnsOf(store, exampleFiles, timeColumn)
  const writtenAt = new Date(nowMs).toISOString()
  const provenance = provenanceOf(deps, groupBySeries(files), null, { format: 'hive', files: files.length })
  const example = { ...first.series, folder: exampleFolder(first.series), columns: fileColumns }
  const readme = hiveReadme({ kind: request.kind, files: files.length, example, timeType, writtenAt })
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

/** Returns the folder of a series, relative to the exported folder. */
const folderOf = (series: OwnedSeries) => seriesFolder(series).slice(series.kind.length + 1)
/** Returns the folder of all series of a symbol, which the README uses as its example. */
const exampleFolder = (series: OwnedSeries) => folderOf(series).split('/').slice(0, 3).join('/')

const textEntry = (path: string, text: string): HiveEntry => ({ path, text, sizeBytes: Buffer.byteLength(text) })

function groupBySeries(files: readonly CachedFile[]): SeriesFiles[] {
  const filesByFolder = new Map<string, CachedFile[]>()
  for (const file of files) {
    const folder = seriesFolder(file.series)
    filesByFolder.set(folder, [...(filesByFolder.get(folder) ?? []), file])
  }
  return [...filesByFolder.values()].map((filesOfSeries) => {
    const slices = filesOfSeries.map((file) => ({
      file,
      startMs: file.startDay * MS_PER_DAY,
      endMs: file.endDay * MS_PER_DAY,
    }))
    const { series } = filesOfSeries[0]
    return {
      series,
      timestamp: series.timestamp === 'true' ? 'true' : 'exchange',
      range: { startMs: slices[0].startMs, endMs: slices.at(-1)!.endMs },
      slices,
      slicesToRead: slices,
    }
  })
}

/**
 * Streams files and texts as one tar archive (ustar, with pax records for long paths); a slow reader slows the reading
 * of the files.
 */
export function tarOf(
  archive: Pack,
  entries: readonly HiveEntry[],
  writtenAt: Date,
  signal: AbortSignal,
  onEntry: () => void,
): Readable {
  const stream = Readable.from(archive)
  // If the reader stops early, the files must not be read any further.
  stream.once('close', () => archive.destroy())
  void packEntries(archive, entries, writtenAt, signal, onEntry).catch((cause: unknown) =>
    archive.destroy(cause instanceof Error ? cause : new Error(String(cause))),
  )
  return stream
}

async function packEntries(
  archive: Pack,
  entries: readonly HiveEntry[],
  writtenAt: Date,
  signal: AbortSignal,
  onEntry: () => void,
): Promise<void> {
  for (const entry of entries) {
    signal.throwIfAborted()
    const header = { name: entry.path, size: entry.sizeBytes, mtime: writtenAt }
    await pipeline(contentOf(entry), archive.entry(header), { signal })
    onEntry()
  }
  archive.finalize()
}

/**
 * Reads the content of an entry. Throws if a file's length differs from its header, before the archive library does so
 * with a message that names no file.
 */
async function* contentOf(entry: HiveEntry): AsyncGenerator<Uint8Array> {
  if ('text' in entry) {
    yield Buffer.from(entry.text)
    return
  }
  let sizeBytes = 0
  for await (const chunk of createReadStream(entry.source)) {
    const bytes = chunk as Buffer
    sizeBytes += bytes.length
    yield bytes
  }
  if (sizeBytes !== entry.sizeBytes) throw new Error(`${entry.path} changed while it was copied`)
}
