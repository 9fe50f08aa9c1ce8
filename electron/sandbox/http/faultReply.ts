import type { ErrorBodyShape, FaultEffects } from '../faults/faults.ts'
import { ApiRefusal } from '../refusal.ts'
import { refusalReply, type Reply } from './reply.ts'

/** Builds the reply of a fault: an error status, with a Retry-After header if requested. */
export function faultReply(effects: FaultEffects, status: number, shape?: ErrorBodyShape): Reply {
  const reply = refusalReply(new ApiRefusal(status, 'fault', 'The service fails as requested'), shape)
  if (effects.retryAfter === undefined) return reply
  // The client compares the date with its own clock, so it is based on the machine's clock, not the sandbox's.
  const retryAfter = effects.retryAfterDate
    ? new Date(Date.now() + effects.retryAfter * 1000).toUTCString()
    : String(effects.retryAfter)
  return { ...reply, headers: { ...reply.headers, 'retry-after': retryAfter } }
}
