import { Worker } from 'node:worker_threads'
import { AppError, type ErrorShape } from '#shared/contract/errors.ts'
import { readJson } from './json.ts'

export interface JsonOptions {
  /** For words when it is no JSON. */
  address: string
  /** Lists of nothing but numbers and nulls come as a Float64Array, with NaN for null. */
  packNumbers: boolean
}

export interface JsonTask extends JsonOptions {
  bytes: Uint8Array
}

export type JsonTaskAnswer = { value: unknown } | { error: ErrorShape }

/** Up to this size parsing takes a few milliseconds at most; what is larger is read in a thread of its own. */
const READ_AT_ONCE_BYTES = 1024 * 1024

const entry = import.meta.url.endsWith('.ts') ? './jsonWorker.ts' : './jsonWorker.js'

/** A whole body as JSON, without holding up this thread. */
export async function readJsonBody(bytes: Uint8Array, options: JsonOptions, signal: AbortSignal): Promise<unknown> {
  if (bytes.byteLength <= READ_AT_ONCE_BYTES) return readJson(bytes, options)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: { ...options, bytes } satisfies JsonTask,
      transferList: [bytes.buffer as ArrayBuffer],
    })
    const abort = () => {
      reject(new AppError('cancelled'))
      void worker.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    worker.once('message', (answer: JsonTaskAnswer) =>
      'error' in answer ? reject(AppError.fromShape(answer.error)) : resolve(answer.value),
    )
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', abort)
      reject(new Error('the thread that reads JSON ended without an answer'))
    })
  })
}
