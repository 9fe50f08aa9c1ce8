import { MS_PER_HOUR } from '#shared/time.ts'
import { hourOf, monthOf, weekdayOf } from '../calendar.ts'
import { type StudyGrid, timeAt } from '../panel.ts'

/** Index of the calendar group of each time of a grid, and the groups' names in ascending order. */
interface TimeKeys<Name> {
  keys: Uint16Array
  names: readonly Name[]
}

export interface CalendarKeys {
  month: TimeKeys<string>
  hour: TimeKeys<number>
  weekday: TimeKeys<number>
}

/** Groups the times of a grid by calendar. */
export const calendarKeys = (grid: StudyGrid): CalendarKeys => ({
  month: timeKeys(grid, monthOf),
  hour: timeKeys(grid, hourOf),
  weekday: timeKeys(grid, weekdayOf),
})

function timeKeys<Name extends string | number>(grid: StudyGrid, nameOf: (timeMs: number) => Name): TimeKeys<Name> {
  const keys = new Uint16Array(grid.timeCount)
  const places = new Map<Name, number>()
  let hourBefore = NaN
  let place = 0
  for (let time = 0; time < grid.timeCount; time++) {
    const timeMs = timeAt(grid, time)
    // No name changes within an hour, and naming each minute of a year would take longer than correlating them.
    const hour = Math.floor(timeMs / MS_PER_HOUR)
    if (hour !== hourBefore) {
      const name = nameOf(timeMs)
      place = places.get(name) ?? places.size
      places.set(name, place)
      hourBefore = hour
    }
    keys[time] = place
  }
  const names = [...places.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const ascending = Uint16Array.from(places.keys(), (name) => names.indexOf(name))
  for (let time = 0; time < keys.length; time++) keys[time] = ascending[keys[time]]
  return { keys, names }
}
