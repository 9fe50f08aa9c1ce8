import { constants } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Exported } from '#shared/contract/areas/series.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { WindowHost } from '#core/ports.ts'
import { type HiveEntry, hiveEntries, type HiveQuestion } from './hiveFiles.ts'
import type { ProvenanceDeps } from './provenance.ts'

export interface HiveContext {
  host: WindowHost
  signal: AbortSignal
  progress(progress: Progress): void
}

const NAME = 'perpscope-hive'

/** Cached files in Hive partitions: as a folder where the host can write one, else as one tar file. */
export async function exportHive(
  deps: ProvenanceDeps,
  question: HiveQuestion,
  { host, signal, progress }: HiveContext,
): Promise<Exported | null> {
  const entries = hiveEntries(deps, question)
  let done = 0
  const onEntry = () => progress({ done: ++done, total: entries.length, message: 'files written' })
  const saved = host.saveFolder
    ? await host.saveFolder(NAME, (folder) => writeEntries(folder, entries, signal, onEntry))
    : await saveTar(host, entries, new Date(deps.nowMs), signal, onEntry)
  const files = entries.filter((entry) => 'source' in entry).length
  return saved && { ...saved, rows: 0, files, unread: [], columns: [], unitWarnings: [] }
}

async function saveTar(
  host: WindowHost,
  entries: readonly HiveEntry[],
  writtenAt: Date,
  signal: AbortSignal,
  onEntry: () => void,
) {
  // Loaded on demand, because few sessions write an archive and every start would pay for it.
  const { tarOf } = await import('./tarStream.ts')
  return host.save({ name: `${NAME}.tar`, type: 'application/x-tar' }, () => tarOf(entries, writtenAt, signal, onEntry))
}

async function writeEntries(folder: string, entries: readonly HiveEntry[], signal: AbortSignal, onEntry: () => void) {
  for (const entry of entries) {
    signal.throwIfAborted()
    const target = join(folder, ...entry.path.split('/'))
    await mkdir(dirname(target), { recursive: true })
    if ('text' in entry) await writeFile(target, entry.text)
    // Shared blocks where the disk can do that; never the same file, or who changes the one changes the cache.
    else
      await copyFile(entry.source, target, constants.COPYFILE_FICLONE).catch((cause: unknown) =>
        refuse(entry.path, cause),
      )
    onEntry()
  }
}

function refuse(path: string, cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown cause'
  if (code === 'ENOSPC') throw new AppError('disk-full', null, { cause })
  throw new AppError(code === 'ENOENT' ? 'corrupt-file' : 'unsupported', `${path} could not be copied (${code}).`, {
    cause,
  })
}
