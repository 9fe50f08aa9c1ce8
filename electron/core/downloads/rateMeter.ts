/** Bytes a second over the last few seconds. */
export interface RateMeter {
  add(bytes: number): void
  perSecond(): number
}

const SLOT_MS = 250
const SLOTS = 20
/** A rate is of at least so long, lest the first file of many look like a flood. */
const SHORTEST_MS = 500

export function createRateMeter(nowMs: () => number): RateMeter {
  const slots = new Map<number, number>()
  /** When bytes began to come, after none had for as long as the meter looks back. */
  let begunMs: number | null = null
  let lastSlot = -1
  const forget = () => {
    const oldest = Math.floor(nowMs() / SLOT_MS) - SLOTS
    for (const slot of slots.keys()) if (slot <= oldest) slots.delete(slot)
    if (slots.size === 0) begunMs = null
  }
  return {
    add(bytes) {
      if (bytes <= 0) return
      const slot = Math.floor(nowMs() / SLOT_MS)
      if (slot !== lastSlot) forget()
      lastSlot = slot
      begunMs ??= nowMs()
      slots.set(slot, (slots.get(slot) ?? 0) + bytes)
    },
    perSecond() {
      forget()
      if (begunMs === null) return 0
      const bytes = [...slots.values()].reduce((sum, each) => sum + each, 0)
      const overMs = Math.min(SLOT_MS * SLOTS, Math.max(SHORTEST_MS, nowMs() - begunMs))
      return Math.round((bytes * 1000) / overMs)
    },
  }
}
