import type { DayNumber } from '#shared/time/periods.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'

/** A run of days with one value; days without a value do not end it. */
export interface Spell {
  value: number
  startDay: DayNumber
  /** The last day that has this value. */
  endDay: DayNumber
  /** Days that have it. */
  days: number
}

/** Lists the ranges of a regime or an overlay, oldest first. */
export function spellsOf(series: DailySeries): Spell[] {
  const { days, values } = presentDays(series)
  const spells: Spell[] = []
  days.forEach((day, row) => {
    const last = spells.at(-1)
    if (last?.value === values[row]) {
      last.endDay = day
      last.days++
    } else spells.push({ value: values[row], startDay: day, endDay: day, days: 1 })
  })
  return spells
}

export interface StateShare {
  value: number
  days: number
  /** Statistics over the days that have a value. */
  share: number
  spells: number
  lastDay: DayNumber
}

/** Computes how long each value lasted, from the lowest up; null if there are too many values to be states. */
export function stateShares(spells: readonly Spell[], most = 12): StateShare[] | null {
  const states = new Map<number, StateShare>()
  let total = 0
  for (const { value, days, endDay } of spells) {
    const state = states.get(value) ?? { value, days: 0, share: 0, spells: 0, lastDay: endDay }
    states.set(value, state)
    state.days += days
    state.spells++
    state.lastDay = endDay
    total += days
    if (states.size > most) return null
  }
  return [...states.values()]
    .map((state) => ({ ...state, share: state.days / total }))
    .sort((a, b) => a.value - b.value)
}
