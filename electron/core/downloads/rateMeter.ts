/** Bytes a second over the last few seconds. */
export interface RateMeter {
  add(bytes: number): void
  perSecond(): number
}

const SLOT_MS = 500
const SLOTS = 10

export function createRateMeter(nowMs: () => number): RateMeter {
  const slots = new Map<number, number>()
  const slotNow = () => Math.floor(nowMs() / SLOT_MS)
  return {
    add(bytes) {
      const slot = slotNow()
      slots.set(slot, (slots.get(slot) ?? 0) + bytes)
      for (const old of slots.keys()) if (old <= slot - SLOTS) slots.delete(old)
    },
    perSecond() {
      const now = slotNow()
      let bytes = 0
      for (const [slot, each] of slots) if (slot > now - SLOTS) bytes += each
      return Math.round((bytes * 1000) / (SLOT_MS * SLOTS))
    },
  }
}
