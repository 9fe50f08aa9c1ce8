import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { ReportSource } from '#shared/report/reportContent.ts'
import { canonicalJson, sha256 } from '#core/store/ledger/canonicalJson.ts'
import { hashFile } from '#core/lab/recordStudy.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'

/** Folder of the data folder with what reports refer to. */
const RECORD_FOLDER = 'record'
const ANSWERS_FOLDER = 'answers'
const KEPT_FOLDER = 'kept'
const FILES = 'files'
/** Bytes of kept files; above it the oldest are removed. */
const MOST_KEPT_BYTES = 2e9

export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64')

/** An answer of the portfolio service as a report keeps it. */
export interface KeptAnswer {
  endpoint: string
  request: unknown
  days: number[]
  columns: { name: string; values: (number | null)[] }[]
}

export type SourceState = 'same' | 'changed' | 'missing'

/** Files that reports come from: where they are, whether they are still the same, and the bytes of then. */
export interface SourceFiles {
  /** Describes cached files for the list of sources. */
  describe(files: readonly CachedFile[]): ReportSource[]
  /** Describes a file outside of the data folder. */
  describeOutside(path: string, shown: string, service: string): Promise<ReportSource>
  /** Keeps an answer, which lies in the index, as a file of its own. */
  keepAnswer(answer: KeptAnswer, source: { service: string; fetchedAt: number }): ReportSource
  readAnswer(source: Pick<ReportSource, 'path'>): KeptAnswer | null
  /** Keeps the bytes of cached files for replays; costs no room while the files stay as they are. */
  keep(sources: readonly ReportSource[]): void
  /** Finds the file of a source; null where its path would leave the folders that it may lie in. */
  pathOf(source: string, baseFolder: string): string | null
  /** Compares a file with the hash of then. */
  stateOf(
    source: Pick<ReportSource, 'path' | 'sha256'>,
    baseFolder: string,
  ): Promise<{ state: SourceState; now: string | null }>
  /** Finds the kept bytes of a file that was superseded. */
  keptPath(sha: string): Promise<string | null>
}

export function createSourceFiles(
  { connections, folder }: Pick<Store, 'connections' | 'folder'>,
  dataDir: string,
): SourceFiles {
  const recordFolder = join(dataDir, RECORD_FOLDER)
  const keptFolder = join(recordFolder, KEPT_FOLDER)
  const shownPath = (path: string) => [FILES, ...relative(folder.root, path).split(sep)].join('/')

  function pathOf(source: string, baseFolder: string): string | null {
    if (source.includes('\0') || source.includes('\\') || isAbsolute(source)) return null
    const [first, ...rest] = source.split('/')
    if (first === FILES) return within(folder.root, rest.join('/'))
    if (first === RECORD_FOLDER) return within(recordFolder, rest.join('/'))
    return resolve(baseFolder, source)
  }

  return {
    describe: (files) =>
      files.map((file) => ({
        path: shownPath(folder.pathOf(file.series, file.period)),
        sha256: file.sha256,
        service: serviceOf(connections, file),
        fetchedAt: file.fetchedAtMs,
      })),
    async describeOutside(path, shown, service) {
      const { sha256: hash } = await hashFile(path)
      return { path: shown, sha256: hash, service, fetchedAt: null }
    },
    keepAnswer(answer, { service, fetchedAt }) {
      const text = `${canonicalJson(answer)}\n`
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
      const file = path.startsWith(`${RECORD_FOLDER}/${ANSWERS_FOLDER}/`) ? pathOf(path, '') : null
      return file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptAnswer) : null
    },
    keep(sources) {
      for (const { path, sha256: hash } of sources) {
        if (!path.startsWith(`${FILES}/`)) continue
        const file = pathOf(path, '')
        if (file) linkFile(file, join(keptFolder, hash))
      }
      removeOldest(keptFolder)
    },
    pathOf,
    async stateOf({ path, sha256: hash }, baseFolder) {
      const file = pathOf(path, baseFolder)
      if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) return { state: 'missing', now: null }
      const { sha256: now } = await hashFile(file)
      return { state: now === hash ? 'same' : 'changed', now }
    },
    async keptPath(hash) {
      const path = join(keptFolder, hash)
      if (!/^[0-9a-f]{64}$/.test(hash) || !existsSync(path)) return null
      return (await hashFile(path)).sha256 === hash ? path : null
    },
  }
}

/** Joins a path below a folder; null where it would leave the folder. */
function within(root: string, path: string): string | null {
  const full = resolve(root, path)
  return full.startsWith(root + sep) ? full : null
}

function serviceOf(connections: Store['connections'], { series, origin }: CachedFile): string {
  if (origin === 'import') return 'imported'
  if (origin === 'computed') return 'computed here'
  try {
    const { name, builtIn } = connections.find(series.connectionId)
    return builtIn ? `${name} (made-up data)` : name
  } catch {
    return 'a connection that was removed'
  }
}

/** Links a file under its hash, so that its bytes outlive a newer version; file systems without links keep nothing. */
function linkFile(path: string, target: string): void {
  try {
    if (existsSync(target)) return
    mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 })
    linkSync(path, target)
  } catch {
    // The report is whole without the bytes of then; only a replay after a change misses them.
  }
}

/** Removes the oldest kept files above the limit. */
function removeOldest(folder: string): void {
  if (!existsSync(folder)) return
  const files = readdirSync(folder).flatMap((name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false })
    return facts ? [{ path: join(folder, name), bytes: facts.size, keptAt: facts.ctimeMs }] : []
  })
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes } of files.sort((a, b) => a.keptAt - b.keptAt)) {
    if (total <= MOST_KEPT_BYTES) return
    rmSync(path, { force: true })
    total -= bytes
  }
}
