import { createJsonCounter, type JsonLimits, jsonLimits } from '#shared/units/jsonLimits.ts'
import { RequestError } from './httpErrors.ts'

/**
 * Counts the parts of a service's JSON while its bytes arrive, because their number determines how much memory the
 * parsed JSON takes; throws as soon as a limit is exceeded.
 */
export function createJsonMeter(address: string, limits: JsonLimits = jsonLimits) {
  const counter = createJsonCounter(limits)
  return {
    add(bytes: Uint8Array): void {
      const excess = counter.add(bytes)
      if (excess !== null) throw new RequestError('too-large', `GET ${address}: its JSON has ${excess}`)
    },
  }
}
