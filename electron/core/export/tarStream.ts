import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import type { HiveEntry } from './hiveFiles.ts'

/** Streams files and texts as one tar archive (ustar, with pax records for long paths), no faster than it is read. */
export function tarOf(
  entries: readonly HiveEntry[],
  writtenAt: Date,
  signal: AbortSignal,
  onEntry: () => void,
): Readable {
  const archive = pack()
  const stream = Readable.from(archive)
  // A reader that stops early must also stop the files from being read.
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

/** Throws before the archive notices that a file has another length than its header, because that message names no file. */
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
