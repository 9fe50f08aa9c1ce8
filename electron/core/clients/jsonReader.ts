import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { readJson } from './parseResponse.ts'

export interface JsonOptions {
  /** Address for the error message when the body is not JSON. */
  address: string
  /** Lists of nothing but numbers and nulls come as a Float64Array, with NaN for null. */
  packNumbers: boolean
}

export interface JsonTask extends JsonOptions {
  bytes: Uint8Array
}

/** Reads whole bodies as JSON without blocking this thread. */
export interface JsonReader {
  read(bytes: Uint8Array, options: JsonOptions, signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** Bodies up to this size parse in a few milliseconds; larger ones are parsed in a worker thread. */
const READ_AT_ONCE_BYTES = 1024 * 1024
const THREADS = 2

export function createJsonReader(): JsonReader {
  const pool = createThreadPool<JsonTask, unknown>(threadEntry('jsonWorker', import.meta.url), THREADS, {
    buffersOf: ({ bytes }) => [bytes.buffer as ArrayBuffer],
  })
  return {
    async read(bytes, options, signal) {
      if (bytes.byteLength <= READ_AT_ONCE_BYTES) return readJson(bytes, options)
      return pool.run({ ...options, bytes }, signal)
    },
    close: pool.close,
  }
}
