import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

export const networkStateShape = z.strictObject({
  /** True if the user's switch or a command-line option forbids contacting services. */
  offline: z.boolean(),
  /** Servers that could not be reached, since when, and why. The app retries until they are back. */
  unreachable: z.array(
    z.strictObject({
      origin: z.string(),
      since: z.number(),
      message: z.string(),
      /** Time of the next connection attempt, in milliseconds; null during an attempt. */
      nextAttempt: z.number().nullable(),
    }),
  ),
})
export type NetworkState = z.infer<typeof networkStateShape>

/** State of this program's local API: open at an address, closed, or closed because it could not be opened. */
export const localApiStatusShape = z.strictObject({
  open: z.strictObject({ url: z.string(), tokenFile: z.string() }).nullable(),
  problem: z.string().nullable(),
})
export type LocalApiStatus = z.infer<typeof localApiStatusShape>

export const networkCalls = {
  'network.state': call(z.strictObject({}))<NetworkState>(),
  'network.door': call(z.strictObject({}))<LocalApiStatus>(),
  /** Retries all unreachable servers now; an event reports the outcome. */
  'network.tryAgain': call(z.strictObject({}))<NetworkState>(),
}
