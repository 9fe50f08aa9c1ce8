import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import type { ReceivedFile } from '#shared/contract/areas/files.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import type { EventBus } from '#core/eventBus.ts'

/**
 * Files that the user dropped or chose and that wait to be imported. Their paths stay here; windows get ids, names and
 * sizes.
 */
export interface ReceivedFiles {
  add(paths: readonly string[]): Promise<ReceivedFile[]>
  list(): ReceivedFile[]
  pathOf(id: string): string | null
  /** Forgets files that were imported or dismissed; the files themselves stay on disk. */
  remove(ids: readonly string[]): void
  /** Reads a small text file; throws if it is larger than `mostBytes`. */
  readText(id: string, mostBytes: number): Promise<{ name: string; text: string }>
}

export function createReceivedFiles(bus: EventBus): ReceivedFiles {
  const filesById = new Map<string, ReceivedFile & { path: string }>()
  const withoutPath = ({ path: _, ...file }: ReceivedFile & { path: string }): ReceivedFile => file
  const list = () => [...filesById.values()].map(withoutPath)

  async function inspectPath(path: string): Promise<(ReceivedFile & { path: string }) | null> {
    const facts = await stat(path).catch(() => null)
    // A named pipe or a device would keep its reader waiting forever.
    if (!facts?.isFile() && !facts?.isDirectory()) return null
    const file = { id: randomUUID(), name: basename(path), sizeBytes: facts.size, path }
    return facts.isDirectory() ? { ...file, isFolder: true } : file
  }

  return {
    async add(paths) {
      const knownPaths = new Set([...filesById.values()].map((file) => file.path))
      const inspectedFiles = await Promise.all(paths.filter((path) => !knownPaths.has(path)).map(inspectPath))
      // The files stay in the order in which the user chose them, whichever was inspected first.
      const received = inspectedFiles.filter((file) => file !== null)
      for (const file of received) filesById.set(file.id, file)
      if (received.length > 0) bus.emit('files.received', list())
      return received.map(withoutPath)
    },
    list,
    pathOf: (id) => filesById.get(id)?.path ?? null,
    remove(ids) {
      const removedIds = ids.filter((id) => filesById.delete(id))
      if (removedIds.length > 0) bus.emit('files.received', list())
    },
    readText(id, mostBytes) {
      const file = filesById.get(id)
      if (!file) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      if (file.sizeBytes > mostBytes)
        throw new AppError('too-large', `“${file.name}” is larger than ${mostBytes} bytes.`)
      // The file may have grown, or been replaced by a pipe, since it was received.
      return Promise.resolve({ name: file.name, text: decodeText(readSmallBytes(file.path, mostBytes)) })
    },
  }
}
