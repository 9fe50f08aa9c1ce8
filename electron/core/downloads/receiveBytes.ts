import { statfs } from 'node:fs/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import type { HttpClient } from '#core/clients/http.ts'
import type { Clock } from '#core/ports.ts'
import { type CacheFolder, openPart, type PartWriter } from '#core/store/cacheFolder.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { mostBytesOf } from './guardedValidation.ts'
import type { Throttle } from './rateLimit.ts'

/** Files up to this size stay in memory until they are complete; larger ones are written to their part file on the way. */
export const IN_MEMORY_BYTES = 4 * 1024 * 1024

export interface Transferred {
  /** The whole content, in pieces that share no memory with others; null where it is in the part file. */
  bytes: Uint8Array[] | null
  etag: string | null
}

export interface TransferDeps {
  http: Pick<HttpClient, 'open'>
  parts: PartStore
  folder: CacheFolder
  clock: Clock
  /** Delays the transfer where the user has set a rate limit. */
  throttle: Throttle
}

interface ReceivedFile {
  series: OwnedSeries
  period: Period
}

/** Room that a transfer leaves on the disk for the database and other programs. */
const SPARE_BYTES = 64 * 1024 * 1024

/** Refuses a file by the length that its server declares, before a byte is kept: more than any file has, or than fits. */
export async function refuseOversize(
  root: string,
  { series, period }: ReceivedFile,
  totalBytes: number | null,
  fromByte: number,
): Promise<void> {
  if (totalBytes === null || totalBytes <= IN_MEMORY_BYTES) return
  const mostBytes = mostBytesOf(series, period)
  if (totalBytes > mostBytes)
    throw new AppError(
      'too-large',
      `GET ${period}: the server declares ${formatBytes(totalBytes)}, and a file of this period has at most ${formatBytes(mostBytes)}`,
    )
  const disk = await statfs(root).catch(() => null)
  if (disk && totalBytes - fromByte > disk.bavail * disk.bsize - SPARE_BYTES)
    throw new AppError('disk-full', `GET ${period}: the file has ${totalBytes} bytes`)
}

/** Collects the bytes of one transfer, in memory up to `IN_MEMORY_BYTES` and in the part file beyond. */
export function createReceiver(
  { parts, folder, clock }: TransferDeps,
  { series, period }: ReceivedFile,
  etag: string | null,
  fromByte: number,
) {
  let chunks: Uint8Array[] = []
  let sizeBytes = fromByte
  let writer: PartWriter | null = null
  /** A weak etag does not promise the same bytes. */
  const version = etag?.startsWith('W/') ? null : etag

  async function spill(): Promise<void> {
    if (writer) return
    if (fromByte === 0) {
      parts.discard(series, period)
      parts.begin(series, period, version, clock.nowMs())
    }
    writer = await openPart(folder.pathOf(series, period), folder.root, fromByte)
    for (const chunk of chunks) await writer.write(chunk)
    chunks = []
  }

  return {
    size: () => sizeBytes,
    spill,
    async add(chunk: Uint8Array): Promise<void> {
      sizeBytes += chunk.byteLength
      if (writer) return writer.write(chunk)
      chunks.push(withOwnMemory(chunk))
      if (sizeBytes > IN_MEMORY_BYTES) await spill()
    },
    async finish(): Promise<Uint8Array[] | null> {
      if (!writer) return chunks
      await writer.close()
      return null
    },
    /** Keeps the received bytes for the next attempt, where an etag tells which version they belong to. */
    async keep(): Promise<void> {
      try {
        if (sizeBytes > fromByte && version !== null) await spill()
        await writer?.close()
        if (writer && version === null) parts.discard(series, period)
      } catch {
        // Without disk space or a folder there is nothing to resume from.
      }
    },
  }
}

/** Copies a small chunk out of shared memory, because the chunk's memory is transferred to the worker thread. */
const withOwnMemory = (chunk: Uint8Array) => (chunk.buffer.byteLength > 2 * chunk.byteLength ? chunk.slice() : chunk)
