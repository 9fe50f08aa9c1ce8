import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { FileTotals } from './cache.ts'

/** Calls for the sandbox sample: synthetic data of the built-in connection, for a first look. */
export const sampleCalls = {
  /** Queues the files of the sample. */
  'sample.fetch': call(z.strictObject({}))<{ files: number }>(),
  /** Removes the queued downloads and all files of the built-in connection. */
  'sample.remove': call(z.strictObject({}))<FileTotals>(),
}
