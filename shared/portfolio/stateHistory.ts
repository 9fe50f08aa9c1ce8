import type { DayNumber } from '#shared/time/periods.ts'
import { type DailySeries, presentDays } from './dailySeries.ts'

/** Consecutive days with the same value; days without a value do not interrupt them. */
export interface Spell {
  value: number
  startDay: DayNumber
  /** Last day with this value. */
  endDay: DayNumber
  /** Number of days with this value. */
  days: number
}

/** Lists the periods of constant value of a regime or overlay, oldest first. */
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
  /** Fraction of the days with any value that have this value. */
  share: number
  spells: number
  lastDay: DayNumber
}

/** Computes how long each value lasted, by ascending value; null if there are more than `mostStates` values. */
export function stateShares(spells: readonly Spell[], mostStates = 12): StateShare[] | null {
  const stateByValue = new Map<number, StateShare>()
  let total = 0
  for (const { value, days, endDay } of spells) {
    const state = stateByValue.get(value) ?? { value, days: 0, share: 0, spells: 0, lastDay: endDay }
    stateByValue.set(value, state)
    state.days += days
    state.spells++
    state.lastDay = endDay
    total += days
    if (stateByValue.size > mostStates) return null
  }
  return [...stateByValue.values()]
    .map((state) => ({ ...state, share: state.days / total }))
    .sort((a, b) => a.value - b.value)
}
