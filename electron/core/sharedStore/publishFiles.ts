import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { PublishedFiles } from '#shared/contract/areas/downloads.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { Logger } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { storeFolder } from './storeCatalog.ts'
import { type Content, isLeftOver, type StoredObject, type StoreFiles } from './storeFiles.ts'
import { contentName, manifestContent, type ManifestEntry, manifestName, readManifests } from './storeManifest.ts'

interface PublishDeps {
  files: StoreFiles
  /** Name of this data folder among the writers of the store. */
  writer: string
  pathOf(file: CachedFile): string
  log: Logger
}

export interface PublishContext {
  signal: AbortSignal
  progress(progress: Progress): void
}

/** Number of series published concurrently. */
const SERIES_AT_ONCE = 4
const MOST_PROBLEMS = 100

/**
 * Publishes cached files to a shared store. Files are named by their content and written before the manifest that lists
 * them, so that readers see each file completely or not at all even after a crash, and writers never wait for one
 * another.
 */
export async function publishFiles(
  deps: PublishDeps,
  files: readonly CachedFile[],
  { signal, progress }: PublishContext,
): Promise<PublishedFiles> {
  const result: PublishedFiles = { published: 0, rewritten: 0, there: 0, bytes: 0, problems: [] }
  let done = 0
  const onFile = () => progress({ done: ++done, total: files.length, message: 'files published' })
  const groups = [...Map.groupBy(files, ({ series }) => storeFolder(series))]
  const publishNext = async (): Promise<void> => {
    for (let group = groups.shift(); group; group = groups.shift())
      await publishFolder(deps, group[0], group[1], result, signal, onFile)
  }
  try {
    await Promise.all(Array.from({ length: SERIES_AT_ONCE }, publishNext))
  } catch (thrown) {
    groups.length = 0
    throw thrown
  }
  return result
}

async function publishFolder(
  { files, writer, pathOf, log }: PublishDeps,
  folder: string,
  cachedFiles: readonly CachedFile[],
  result: PublishedFiles,
  signal: AbortSignal,
  onFile: () => void,
): Promise<void> {
  const objectsByName = new Map((await files.list(folder, signal)).map((object) => [object.name, object]))
  const manifests = await readManifests(files, folder, [...objectsByName.values()], signal)
  const earlierEntries = manifests.find((manifest) => manifest.writer === writer)?.files ?? []
  const presentEntries = earlierEntries.filter(({ name }) => objectsByName.has(name))
  const entries = new Map(presentEntries.map((entry) => [entry.name, entry]))
  for (const file of cachedFiles) {
    signal.throwIfAborted()
    try {
      const content = await contentOf(pathOf(file), file)
      const name = contentName(file.period, file.sha256)
      await writeIfAbsent(files, `${folder}/${name}`, objectsByName.get(name), content, result, signal, log)
      entries.set(name, entryOf(name, file))
    } catch (thrown) {
      const error = toAppError(thrown)
      // A damaged file is skipped, but a failing store would fail for all files.
      if (error.code !== 'corrupt-file') throw thrown
      if (result.problems.length < MOST_PROBLEMS)
        result.problems.push(`${folder}/${file.period}: ${error.detail ?? error.sentence}`)
    }
    onFile()
  }
  const current = newestOfPeriods([...entries.values()])
  await writeManifest(files, folder, writer, current, objectsByName, signal)
  const usedNames = new Set(
    [...current, ...manifests.filter((each) => each.writer !== writer).flatMap((each) => each.files)].map(
      ({ name }) => name,
    ),
  )
  for (const { name } of earlierEntries)
    if (!usedNames.has(name) && objectsByName.has(name)) await files.remove(`${folder}/${name}`, signal)
  for (const object of objectsByName.values())
    if (isLeftOver(object, Date.now())) await files.remove(`${folder}/${object.name}`, signal)
}

/** Keeps the latest version of each period; older ones are removed once the manifest no longer lists them. */
function newestOfPeriods(entries: readonly ManifestEntry[]): ManifestEntry[] {
  const newestByPeriod = new Map<string, ManifestEntry>()
  for (const entry of entries) {
    const other = newestByPeriod.get(entry.period)
    if (!other || other.fetchedAtMs <= entry.fetchedAtMs) newestByPeriod.set(entry.period, entry)
  }
  return [...newestByPeriod.values()]
}

async function writeIfAbsent(
  files: StoreFiles,
  path: string,
  listedObject: StoredObject | undefined,
  content: Content,
  result: PublishedFiles,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  if (listedObject && (await files.has(path, listedObject, content, signal))) {
    result.there++
    return
  }
  await files.write(path, content, signal)
  if (listedObject) result.rewritten++
  else result.published++
  result.bytes += content.sizeBytes
  log.write('info', `published ${path} to ${files.location}`)
}

async function writeManifest(
  files: StoreFiles,
  folder: string,
  writer: string,
  entries: readonly ManifestEntry[],
  objectsByName: ReadonlyMap<string, StoredObject>,
  signal: AbortSignal,
): Promise<void> {
  if (entries.length === 0) return
  const content = manifestContent(entries)
  const path = `${folder}/${manifestName(writer)}`
  const existing = objectsByName.get(manifestName(writer))
  if (existing && (await files.has(path, existing, content, signal))) return
  await files.write(path, content, signal)
}

const entryOf = (
  name: string,
  { period, sizeBytes, sha256, state, origin, fetchedAtMs }: CachedFile,
): ManifestEntry => ({
  ...{ name, period, sizeBytes, sha256, state, origin, fetchedAtMs },
})

/** Reads a cached file and checks it against the index, because a damaged one must not be published. */
async function contentOf(path: string, { sizeBytes, sha256 }: CachedFile): Promise<Content> {
  const [sha, md5] = [createHash('sha256'), createHash('md5')]
  try {
    for await (const chunk of createReadStream(path)) {
      sha.update(chunk as Uint8Array)
      md5.update(chunk as Uint8Array)
    }
  } catch (thrown) {
    throw new AppError('corrupt-file', `it cannot be read here (${(thrown as NodeJS.ErrnoException).code})`)
  }
  if (sha.digest('hex') !== sha256)
    throw new AppError(
      'corrupt-file',
      'it is damaged here and was not published; run “perpscope verify --repair”, then fetch it again',
    )
  return { sizeBytes, sha256, md5: md5.digest('hex'), open: () => createReadStream(path) }
}
