import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PART } from '#core/store/cacheFolder.ts'
import { parseFilePath } from '#core/store/partitions.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Period } from '#shared/time/periods.ts'

/** A file that lies in the cache's folder, whatever the index says. */
export type FoundFile =
  | { kind: 'data' | 'part'; fullPath: string; path: string; series: OwnedSeries; period: Period }
  /** Not one of ours by its name. */
  | { kind: 'foreign'; fullPath: string; path: string }

/** All files, one folder at a time: memory holds the names of one folder and of those above it. */
export async function* walkCache(root: string, onlyConnectionId?: string): AsyncGenerator<FoundFile[]> {
  const isWanted = (name: string) => onlyConnectionId === undefined || name === encodeURIComponent(onlyConnectionId)

  async function* walk(folder: readonly string[]): AsyncGenerator<FoundFile[]> {
    const entries = await readdir(join(root, ...folder), { withFileTypes: true }).catch(() => [])
    const inner = entries.filter((entry) => folder.length > 0 || isWanted(entry.name))
    const files = inner.filter((entry) => !entry.isDirectory())
    if (files.length > 0) yield files.map(({ name }) => foundFile(root, [...folder, name]))
    for (const { name } of inner.filter((entry) => entry.isDirectory())) yield* walk([...folder, name])
  }
  yield* walk([])
}

function foundFile(root: string, parts: readonly string[]): FoundFile {
  const fullPath = join(root, ...parts)
  const path = parts.join('/')
  const connectionId = connectionOf(parts[0])
  const isPart = path.endsWith(PART)
  const relative = parts.slice(1).join('/')
  const parsed = connectionId === null ? null : parseFilePath(isPart ? relative.slice(0, -PART.length) : relative)
  if (!parsed || connectionId === null) return { kind: 'foreign', fullPath, path }
  const series = { connectionId, ...parsed.series }
  return { kind: isPart ? 'part' : 'data', fullPath, path, series, period: parsed.period }
}

function connectionOf(folder: string): string | null {
  try {
    const id = decodeURIComponent(folder)
    return encodeURIComponent(id) === folder ? id : null
  } catch {
    return null
  }
}
