/** A window's messages are small; what is larger is an error or an attack. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

const BYTES_PER_SLOT = 8

/** Estimates whether a received value takes at most `limitBytes`. Stops counting where it does not. */
export function isWithin(value: unknown, limitBytes: number): boolean {
  let left = limitBytes
  const seen = new Set<object>()
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && left >= 0) {
    const item = waiting.pop()
    left -= BYTES_PER_SLOT
    if (typeof item === 'string') left -= item.length * 2
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) left -= item.byteLength
    else if (item instanceof Map || item instanceof Set) left -= limitBytes + 1
    else if (Array.isArray(item) && item.length * BYTES_PER_SLOT > left) left = -1
    else for (const [key, part] of Object.entries(item)) waiting.push(key, part)
  }
  return left >= 0
}
