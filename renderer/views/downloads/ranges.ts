import { addDays, dayOf, type Day } from '#shared/time.ts'

export interface DayRange {
  startDay: Day
  /** Inclusive. */
  endDay: Day
}

export const presets = [
  { name: 'month', title: 'Last full month' },
  { name: 'week', title: '7 days' },
  { name: 'days30', title: '30 days' },
  { name: 'days90', title: '90 days' },
  { name: 'year', title: 'This year' },
  { name: 'months12', title: '12 months' },
] as const

export type Preset = (typeof presets)[number]['name']

const lengths: Partial<Record<Preset, number>> = { week: 7, days30: 30, days90: 90, months12: 365 }

/** Days that are over: today's files are still being written. */
export function presetRange(preset: Preset, nowMs: number): DayRange {
  const today = dayOf(nowMs)
  const yesterday = addDays(today, -1)
  const beforeThisMonth = addDays(`${today.slice(0, 7)}-01`, -1)
  if (preset === 'month') return { startDay: `${beforeThisMonth.slice(0, 7)}-01`, endDay: beforeThisMonth }
  if (preset === 'year') return { startDay: `${yesterday.slice(0, 4)}-01-01`, endDay: yesterday }
  return { startDay: addDays(today, -lengths[preset]!), endDay: yesterday }
}
