import { z } from 'zod'
import { call } from '../spec.ts'

export const networkStateShape = z.strictObject({
  /** The person's switch, or the option this program was started with: no service is asked. */
  offline: z.boolean(),
  /** Servers that no connection comes about with, since when, and why. They are looked for until they are back. */
  unreachable: z.array(z.strictObject({ origin: z.string(), since: z.number(), words: z.string() })),
})
export type NetworkState = z.infer<typeof networkStateShape>

export const networkCalls = {
  'network.state': call(z.strictObject({}))<NetworkState>(),
  /** Takes every server for reachable again until it proves otherwise, and lets held downloads try. */
  'network.tryAgain': call(z.strictObject({}))<NetworkState>(),
}
