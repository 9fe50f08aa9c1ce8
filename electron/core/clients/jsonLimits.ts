import { setImmediate } from 'node:timers/promises'
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

const MEASURED_SLICE_BYTES = 2 ** 20

/**
 * Throws if a JSON document has too many parts to be kept in memory once parsed; works in slices so that other work can
 * run in between.
 */
export async function checkJsonSize(bytes: Uint8Array, address: string): Promise<void> {
  const meter = createJsonMeter(address)
  for (let start = 0; start < bytes.length; start += MEASURED_SLICE_BYTES) {
    if (start > 0) await setImmediate()
    meter.add(bytes.subarray(start, start + MEASURED_SLICE_BYTES))
  }
}
