import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isPortfolioDataset } from '#shared/catalog/portfolioSeries.ts'
import type { ReportSource } from '#shared/report/reportContent.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import { canonicalJson, sha256 } from '#core/store/ledger/canonicalJson.ts'
import { hashFile } from '#core/lab/recordStudy.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { FILES_FOLDER, OWN_FOLDER, ownPartPath } from '#core/store/partitions.ts'
import type { Store } from '#core/store/store.ts'

/** Subfolder of the data folder for the files that reports refer to. */
const RECORD_FOLDER = 'record'
const ANSWERS_FOLDER = 'answers'

export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64')

/** A response of the portfolio service as a report keeps it. */
export interface KeptAnswer {
  endpoint: string
  request: unknown
  days: number[]
  columns: { name: string; values: (number | null)[] }[]
}

const answerText = (answer: KeptAnswer): string => `${canonicalJson(answer)}\n`

/** Returns the hash by which the file of a response is named. */
export const answerHash = (answer: KeptAnswer): string => sha256(answerText(answer))

/** Tells whether a source is a response of the portfolio service. */
export const isAnswerPath = (path: string): boolean => path.startsWith(`${RECORD_FOLDER}/${ANSWERS_FOLDER}/`)

export type SourceState = 'same' | 'changed' | 'missing'

/** Source files of reports: where they are, whether they have changed, and kept copies of their old content. */
export interface ReportFiles {
  /** Describes cached files for the list of sources. */
  describe(files: readonly CachedFile[]): ReportSource[]
  /** Describes a file outside the data folder. */
  describeOutside(path: string, displayPath: string, service: string): Promise<ReportSource>
  /**
   * Writes a response from the index to a separate file, so that a replay can read it even if the index has changed.
   */
  keepAnswer(answer: KeptAnswer, source: { service: string; fetchedAt: number }): ReportSource
  readAnswer(source: Pick<ReportSource, 'path'>): KeptAnswer | null
  /** Keeps the content of cached files for replays, which takes no disk space until the files change. */
  keep(sources: readonly ReportSource[]): void
  /**
   * Returns the full path of a source; null if the source is not a relative path with forward slashes, or leads out of
   * the folder it names.
   */
  pathOf(source: string, baseFolder: string): string | null
  /** Tells whether a source is nowhere on this machine, without reading it. */
  isMissing(source: Pick<ReportSource, 'path' | 'sha256'>, baseFolder: string): boolean
  /** Compares a file with the hash in the report. */
  stateOf(
    source: Pick<ReportSource, 'path' | 'sha256'>,
    baseFolder: string,
  ): Promise<{ state: SourceState; now: string | null }>
  /** Finds the kept copy of a superseded file; null if there is none or it is damaged. */
  keptPath(sha: string): Promise<string | null>
}

export function createSourceFiles(
  { connections, folder, kept, ownData }: Pick<Store, 'connections' | 'folder' | 'kept' | 'ownData'>,
  dataDir: string,
): ReportFiles {
  const recordFolder = join(dataDir, RECORD_FOLDER)
  const shownPath = (path: string) => [FILES_FOLDER, ...relative(folder.root, path).split(sep)].join('/')

  /** Where rows of an own dataset are, or were before only a copy was kept; null for other files. */
  const ownPathOf = ({ own, series, period, sha256 }: CachedFile): string | null =>
    own ? ownPartPath(folder.root, ownNameOf(series.dataset)!, { month: period, sha256 }) : null

  function pathOf(source: string, baseFolder: string): string | null {
    if (source.includes('\0') || source.includes('\\') || isAbsolute(source)) return null
    const [first, ...rest] = source.split('/')
    if (first === FILES_FOLDER) return within(folder.root, rest.join('/'))
    if (first === RECORD_FOLDER) return within(recordFolder, rest.join('/'))
    return resolve(baseFolder, source)
  }

  /** The hash of the rows that an own dataset has now for a month; null if it has none. */
  const currentHash = ({ name, month }: OwnPartName): string | null =>
    (ownData.find(name) && ownData.parts(name).find((part) => part.month === month)?.sha256) ?? null

  /** Tells whether a file of an own dataset that has been replaced is kept as it was. */
  const isKept = (path: string, hash: string): boolean =>
    ownPartOf(path) !== null && existsSync(kept.pathOf(hash)) && kept.noteOf(hash) !== null
  const fileAt = (source: string, baseFolder: string): string | null => {
    const file = pathOf(source, baseFolder)
    return file && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null
  }

  return {
    describe: (files) =>
      files.map((file) => ({
        path: shownPath(ownPathOf(file) ?? folder.pathOf(file.series, file.period)),
        sha256: file.sha256,
        service: serviceOf(connections, file),
        fetchedAt: file.fetchedAtMs,
      })),
    async describeOutside(path, displayPath, service) {
      const { sha256: hash } = await hashFile(path)
      return { path: displayPath, sha256: hash, service, fetchedAt: null }
    },
    keepAnswer(answer, { service, fetchedAt }) {
      const text = answerText(answer)
      const hash = sha256(text)
      const name = `${hash}.json`
      const target = join(recordFolder, ANSWERS_FOLDER, name)
      if (!existsSync(target)) {
        mkdirSync(join(recordFolder, ANSWERS_FOLDER), { recursive: true, mode: 0o700 })
        writeFileSync(`${target}.${process.pid}`, text, { mode: 0o600 })
        renameSync(`${target}.${process.pid}`, target)
      }
      return { path: [RECORD_FOLDER, ANSWERS_FOLDER, name].join('/'), sha256: hash, service, fetchedAt }
    },
    readAnswer({ path }) {
      const file = isAnswerPath(path) ? pathOf(path, '') : null
      return file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptAnswer) : null
    },
    keep(sources) {
      const cachedSources = sources.filter(({ path }) => path.startsWith(`${FILES_FOLDER}/`))
      kept.keep(
        cachedSources.flatMap((source) => {
          const path = pathOf(source.path, '')
          return path === null ? [] : [{ path, sha256: source.sha256 }]
        }),
      )
    },
    pathOf,
    isMissing: ({ path, sha256: hash }, baseFolder) => fileAt(path, baseFolder) === null && !isKept(path, hash),
    async stateOf({ path, sha256: hash }, baseFolder) {
      const file = fileAt(path, baseFolder)
      if (file === null) {
        const own = ownPartOf(path)
        return own && isKept(path, hash) ? { state: 'changed', now: currentHash(own) } : { state: 'missing', now: null }
      }
      const { sha256: now } = await hashFile(file)
      return { state: now === hash ? 'same' : 'changed', now }
    },
    async keptPath(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return null
      const path = kept.pathOf(hash)
      if (!existsSync(path)) return null
      if ((await hashFile(path)).sha256 === hash) return path
      // A damaged copy would keep an intact one from being stored later.
      rmSync(path, { force: true })
      return null
    },
  }
}

interface OwnPartName {
  name: string
  month: string
}

/** Reads the path of a file of an own dataset, whose name changes with its rows; null for any other file. */
export function ownPartOf(path: string): OwnPartName | null {
  const [files, own, name, month] = path.split('/')
  if (files !== FILES_FOLDER || own !== OWN_FOLDER || !month?.startsWith('month=')) return null
  return { name, month: month.slice('month='.length) }
}

/** Joins a path to a folder; null if the result would be outside the folder. */
function within(root: string, path: string): string | null {
  const fullPath = resolve(root, path)
  return fullPath.startsWith(root + sep) ? fullPath : null
}

function serviceOf(connections: Store['connections'], { series, origin, own }: CachedFile): string {
  if (own) return 'your own data'
  if (origin === 'import') return 'imported'
  if (origin === 'computed') return isPortfolioDataset(series.dataset) ? 'portfolio service' : 'computed here'
  try {
    const { name, builtIn, preview } = connections.find(series.connectionId)
    return builtIn ? `${name} (synthetic data)` : preview ? `${name} (previews)` : name
  } catch {
    return 'a connection that was removed'
  }
}
