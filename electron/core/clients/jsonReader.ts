import { createGuard, type GuardLimits, GuardStopped } from '#core/guard/guard.ts'
import { limitsForBytes } from '#core/guard/sizeLimits.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { RequestError } from './httpErrors.ts'
import { readJson } from './parseResponse.ts'

export interface JsonTask {
  bytes: Uint8Array
  /** Address to name in the error if the body is not JSON. */
  address: string
}

/** Reads whole bodies as JSON without blocking this thread for more than a few milliseconds. */
interface JsonReader {
  read(bytes: Uint8Array, address: string, signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

interface JsonReaderOptions {
  start?: StartProcess | undefined
  /** Entry of the guarded process; tests pass one that misbehaves. */
  entry?: URL
  limitsOf?: (task: JsonTask) => GuardLimits
}

const MEGABYTE = 2 ** 20
/** Bodies up to this size parse in a few milliseconds; larger ones are parsed in a guarded process. */
const PARSED_HERE_BYTES = MEGABYTE
const MOST_PROCESSES = 2
const sizeLimitsOf = ({ bytes }: JsonTask) => limitsForBytes('json', bytes.byteLength)

export function createJsonReader({
  start = startNodeProcess,
  entry = threadEntry('jsonProcess', import.meta.url),
  limitsOf = sizeLimitsOf,
}: JsonReaderOptions = {}): JsonReader {
  const guard = createGuard<JsonTask, unknown>({
    start,
    entry,
    name: 'Perpscope JSON reader',
    processes: MOST_PROCESSES,
    limitsOf,
  })
  return {
    async read(bytes, address, signal) {
      if (bytes.byteLength <= PARSED_HERE_BYTES) return readJson(bytes, address)
      return guard.run({ bytes, address }, signal).catch((thrown: unknown) => {
        if (!(thrown instanceof GuardStopped)) throw thrown
        throw new RequestError('too-large', `GET ${address}: its JSON was not read, because ${thrown.reasonText}`)
      })
    },
    close: guard.close,
  }
}
