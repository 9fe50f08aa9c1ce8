import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import type { HttpClient, OpenAnswer } from '#core/clients/http.ts'
import type { Clock } from '#core/ports.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import { openPart, type PartWriter } from '#core/store/fileWriter.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** Up to this size a file waits in memory until it is whole; larger ones go to their part as they come. */
export const IN_MEMORY_BYTES = 4 * 1024 * 1024
/** No file of the services comes near; what is larger is an error or an attack. */
const MAX_FILE_BYTES = 16 * 1024 * 1024 * 1024

export interface Transferred {
  /** The whole content in pieces whose memory is theirs alone; null where it stands in the part. */
  bytes: Uint8Array[] | null
  etag: string | null
}

export interface TransferDeps {
  http: Pick<HttpClient, 'open'>
  parts: PartStore
  folder: CacheFolder
  clock: Clock
  /** Waits where the person set a limit to the rate. */
  paced(bytes: number, signal: AbortSignal): Promise<void> | null
}

export interface Wanted {
  series: OwnedSeries
  period: Period
  url: string
  signal: AbortSignal
  /** Bytes that are here, and of how many (null where that was not said). */
  onBytes(doneBytes: number, totalBytes: number | null): void
}

/** Fetches one file. What came before an interruption is kept where it can be continued. */
export async function transfer(deps: TransferDeps, wanted: Wanted): Promise<Transferred> {
  const { series, period, signal, onBytes } = wanted
  const left = deps.parts.left(series, period)
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (left) Object.assign(headers, { range: `bytes=${left.sizeBytes}-`, 'if-range': left.etag })
  const answer = await openOrForget(deps, wanted, headers)
  const etag = answer.headers.get('etag')
  // Some servers honour the range alone: the rest of another version must not be put behind what is here.
  const isSame = left !== null && (etag === null || etag === left.etag)
  const isRest = isSame && answer.status === 206 && startOf(answer) === left.sizeBytes
  if (answer.status === 206 && !isRest) {
    await answer.cancel()
    deps.parts.discard(series, period)
    throw new AppError('bad-answer', `GET ${period}: another part of the file came than was asked for`)
  }

  const fromByte = isRest ? left.sizeBytes : 0
  const totalBytes = totalOf(answer, fromByte)
  const received = createReceiver(deps, wanted, etag, fromByte)
  onBytes(fromByte, totalBytes)
  try {
    if (isRest || (totalBytes ?? 0) > IN_MEMORY_BYTES) await received.spill()
    for await (const chunk of answer.body) {
      await received.add(chunk)
      onBytes(received.size(), totalBytes)
      const wait = deps.paced(chunk.byteLength, signal)
      if (wait) await wait
    }
    if (totalBytes !== null && received.size() !== totalBytes)
      throw new AppError('network', `GET ${period}: ${received.size()} of ${totalBytes} bytes came`)
    return { bytes: await received.finish(), etag }
  } catch (thrown) {
    await answer.cancel()
    await received.keep()
    throw thrown
  }
}

async function openOrForget({ http, parts }: TransferDeps, wanted: Wanted, headers: Record<string, string>) {
  const { series, period, url, signal } = wanted
  try {
    return await http.open({ url, signal, headers, maxBytes: MAX_FILE_BYTES })
  } catch (thrown) {
    // The part is longer than the file is now: nothing to continue.
    if (thrown instanceof AppError && thrown.service?.status === 416) {
      parts.discard(series, period)
      return http.open({ url, signal, headers: { 'accept-encoding': 'identity' }, maxBytes: MAX_FILE_BYTES })
    }
    throw thrown
  }
}

const startOf = ({ headers }: OpenAnswer) =>
  Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN)

function totalOf({ headers }: OpenAnswer, fromByte: number): number | null {
  const length = headers.get('content-length')
  if (length === null || headers.get('content-encoding') !== null) return null
  return /^\d{1,15}$/.test(length) ? fromByte + Number(length) : null
}

/** Collects the bytes of one transfer: in memory first, from a certain size on in the part. */
function createReceiver({ parts, folder, clock }: TransferDeps, wanted: Wanted, etag: string | null, fromByte: number) {
  const { series, period } = wanted
  let chunks: Uint8Array[] = []
  let sizeBytes = fromByte
  let writer: PartWriter | null = null

  async function spill(): Promise<void> {
    if (writer) return
    if (fromByte === 0) {
      parts.discard(series, period)
      if (etag !== null && !etag.startsWith('W/')) parts.begin(series, period, etag, clock.nowMs())
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
      chunks.push(own(chunk))
      if (sizeBytes > IN_MEMORY_BYTES) await spill()
    },
    async finish(): Promise<Uint8Array[] | null> {
      if (!writer) return chunks
      await writer.close()
      return null
    },
    /** Whatever went wrong: the bytes that came stay for the next attempt, where they can be told apart. */
    async keep(): Promise<void> {
      try {
        if (sizeBytes > fromByte && etag !== null && !etag.startsWith('W/')) await spill()
        await writer?.close()
      } catch {
        // No room or no folder: then there is nothing to go on from.
      }
    },
  }
}

/** Small pieces may lie in memory that others use too; that of large ones is given away with them. */
const own = (chunk: Uint8Array) => (chunk.buffer.byteLength > 2 * chunk.byteLength ? chunk.slice() : chunk)
