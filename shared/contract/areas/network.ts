import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

export const networkStateShape = z.strictObject({
  /** The user's switch, or the option this program was started with: no service is asked. */
  offline: z.boolean(),
  /** Servers that no connection comes about with, since when, and why. They are looked for until they are back. */
  unreachable: z.array(
    z.strictObject({
      origin: z.string(),
      since: z.number(),
      message: z.string(),
      /** Time of the next connection attempt, in milliseconds; null while one is under way. */
      nextLook: z.number().nullable(),
    }),
  ),
})
export type NetworkState = z.infer<typeof networkStateShape>

/** State of the local API in this program: open at an address, closed, or closed because it could not be opened. */
export const localDoorShape = z.strictObject({
  open: z.strictObject({ url: z.string(), tokenFile: z.string() }).nullable(),
  problem: z.string().nullable(),
})
export type LocalDoor = z.infer<typeof localDoorShape>

export const networkCalls = {
  'network.state': call(z.strictObject({}))<NetworkState>(),
  'network.door': call(z.strictObject({}))<LocalDoor>(),
  /** Looks at once for every server that is out of reach; what comes of it is told by the event. */
  'network.tryAgain': call(z.strictObject({}))<NetworkState>(),
}
