import { createHash } from 'node:crypto'
import { periodDays, type Period } from '#shared/time/periods.ts'
import { JsonExcess, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import type { Content, StoredObject, StoreFiles } from './storeFiles.ts'

/** A file of a store as its writer described it. */
export interface ManifestEntry {
  name: string
  period: Period
  sizeBytes: number
  sha256: string
  /** State of the file; `partial` means that its period was not over when it was downloaded. */
  state: 'final' | 'partial'
  origin: 'service' | 'import' | 'computed'
  fetchedAtMs: number
}

/** The files of one writer in the folder of a series; readers merge the manifests of all writers. */
export interface Manifest {
  writer: string
  files: readonly ManifestEntry[]
}

const FORMAT = 'perpscope-store'
const VERSION = 1
/**
 * Maximum size of a manifest, enough for some 15,000 files of one series (more than forty years of daily files);
 * parsing that many takes less than 50 ms.
 */
const MOST_MANIFEST_BYTES = 4 * 1024 * 1024

/** Returns the name of a writer's manifest; engines skip files whose name begins with `_`. */
export const manifestName = (writer: string) => `_perpscope.${writer}.json`
const manifestPattern = /^_perpscope\.([\w-]{1,64})\.json$/

/**
 * Returns a file name with the period and the first digits of the content's hash, so that writers cannot overwrite each
 * other's files and readers can verify them.
 */
export const contentName = (period: Period, sha256: string) => `${period}.${sha256.slice(0, HASH_DIGITS)}.parquet`
const HASH_DIGITS = 16
const contentPattern = /^(\d{4}-\d\d(?:-\d\d)?)\.([0-9a-f]{16})\.parquet$/

/** Parses the period and the beginning of the hash from a file name; null if the file is not named by its content. */
export function parseContentName(name: string): { period: Period; hashStart: string } | null {
  const [, period, hashStart] = contentPattern.exec(name) ?? []
  return period && periodDays(period) !== null ? { period, hashStart } : null
}

/**
 * Reads the manifests of a folder. A damaged one counts as absent, because files named by their content can be used
 * without it.
 */
export async function readManifests(
  files: Pick<StoreFiles, 'read'>,
  folder: string,
  listed: readonly StoredObject[],
  signal: AbortSignal,
): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const { name } of listed) {
    const writer = manifestPattern.exec(name)?.[1]
    if (writer === undefined) continue
    const manifestFiles = await readManifest(files, `${folder}/${name}`, signal)
    if (manifestFiles) manifests.push({ writer, files: manifestFiles })
  }
  return manifests
}

async function readManifest(files: Pick<StoreFiles, 'read'>, path: string, signal: AbortSignal) {
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of await files.read(path, MOST_MANIFEST_BYTES, signal)) chunks.push(chunk)
    return parseManifest(Buffer.concat(chunks).toString())
  } catch (thrown) {
    signal.throwIfAborted()
    const isDamaged = thrown instanceof SyntaxError || thrown instanceof JsonExcess
    if (isDamaged || ['not-found', 'too-large', 'corrupt-file'].includes((thrown as { code?: string }).code ?? ''))
      return null
    throw thrown
  }
}

function parseManifest(text: string): ManifestEntry[] | null {
  const document = parseBoundedJson(text) as Record<string, unknown> | null
  if (document?.format !== FORMAT || document.version !== VERSION || !Array.isArray(document.files)) return null
  return (document.files as unknown[]).filter(isEntry)
}

function isEntry(value: unknown): value is ManifestEntry {
  if (typeof value !== 'object' || value === null) return false
  const { name, period, sizeBytes, sha256, state, origin, fetchedAtMs } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    typeof period === 'string' &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    // A name that was not built from the period and the hash could point anywhere.
    name === contentName(period, sha256) &&
    periodDays(period) !== null &&
    Number.isSafeInteger(sizeBytes) &&
    (state === 'final' || state === 'partial') &&
    (origin === 'service' || origin === 'import' || origin === 'computed') &&
    typeof fetchedAtMs === 'number'
  )
}

/** Encodes a manifest as the content of an object. */
export function manifestContent(files: readonly ManifestEntry[]): Content {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  const lines = sorted.map((entry) => JSON.stringify(entry)).join(',\n')
  return contentOf(Buffer.from(`{"format":"${FORMAT}","version":${VERSION},"files":[\n${lines}\n]}\n`))
}

const contentOf = (bytes: Uint8Array): Content => ({
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  md5: createHash('md5').update(bytes).digest('hex'),
  open: async function* () {
    yield bytes
  },
})
