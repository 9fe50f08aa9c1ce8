import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { FileTotals } from './cache.ts'

const day = z.iso.date()

/** Calls for the sandbox sample: synthetic data of the built-in connection, for a first look. */
export const sampleCalls = {
  /** Queues the files of the sample: of its usual days, or of a range (both days inclusive) to undo a removal. */
  'sample.fetch': call(z.strictObject({ days: z.strictObject({ startDay: day, endDay: day }).optional() }))<{
    files: number
  }>(),
  /**
   * Removes the files that only the sample asked for, and what of them is still queued; returns the days that bring
   * them back, null if nothing was removed.
   */
  'sample.remove': call(z.strictObject({}))<FileTotals & { days: { startDay: string; endDay: string } | null }>(),
}
