import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { Frame } from '../frame.ts'

/** Name of a saved file, and its path where the host knows it. */
export interface SavedFile {
  /** Name of the file, whose folder a browser chooses itself or asks the user for. */
  name: string
  /** Path of the saved file; null in a browser. */
  path: string | null
}

export const requestCalls = {
  /**
   * Lists the latest requests to services, newest first: time, method, address (redacted), status, bytes, duration_ms,
   * error.
   */
  'requests.list': call(z.strictObject({ limit: z.int().min(1).max(10_000) }))<Frame>(),
  'requests.clear': call(z.strictObject({}))<null>(),
  /** Exports the requests as CSV; null if the user cancelled. */
  'requests.export': call(z.strictObject({}))<SavedFile | null>(),
}
