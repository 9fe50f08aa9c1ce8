import type { SpellsStudy } from './fields.ts'

/** A stretch of time in which a state is on, by the places of its first and last bar. */
export interface Spell {
  from: number
  to: number
  /** Place of the bar at which the spell is known to be long enough. */
  knownFrom: number
}

export const barsOf = ({ from, to }: Pick<Spell, 'from' | 'to'>): number => to - from + 1

/** Finds the spells of a state, and counts those that are too short. */
export function findSpells(
  isOn: Uint8Array,
  { fill, minBars }: Pick<SpellsStudy, 'fill' | 'minBars'>,
): { spells: Spell[]; dropped: number } {
  const spells: Spell[] = []
  let dropped = 0
  let current: Spell | null = null
  const close = () => {
    if (!current) return
    if (barsOf(current) >= minBars) spells.push(current)
    else dropped++
  }
  isOn.forEach((on, place) => {
    if (on === 0) return
    if (current && place - current.to - 1 <= fill) {
      // Only a bar at which the state is on shows that the bars before it are bridged.
      if (barsOf(current) < minBars) current.knownFrom = place
      current.to = place
    } else {
      close()
      current = { from: place, to: place, knownFrom: place }
    }
  })
  close()
  return { spells, dropped }
}

/** Place of the first bar at which a spell is known to be over. */
export const knownEnd = ({ to }: Spell, fill: number): number => to + fill + 1

/** Flags of the bars that lie in spells, bridged ones included. */
export function insideSpells(spells: readonly Spell[], timeCount: number): Uint8Array {
  const inside = new Uint8Array(timeCount)
  for (const { from, to } of spells) inside.fill(1, from, to + 1)
  return inside
}
