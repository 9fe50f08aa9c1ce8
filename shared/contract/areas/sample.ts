import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { Removed } from './cache.ts'

/** Made-up data of the built-in connection, for a first look. */
export const sampleCalls = {
  /** Puts the files of the sample into the queue. */
  'sample.fetch': call(z.strictObject({}))<{ files: number }>(),
  /** Takes away all that is here of the built-in connection: what waits in the queue, and every file. */
  'sample.remove': call(z.strictObject({}))<Removed>(),
}
