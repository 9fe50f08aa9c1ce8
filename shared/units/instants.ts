/** The zone that labels, tables and exports are written in. Storage and computing know UTC only. */
export type Zone = 'utc' | 'local'

export type TimePrecision = 'day' | 'minute' | 'second' | 'ms' | 'us'

const lengths: Record<TimePrecision, number> = { day: 10, minute: 16, second: 19, ms: 23, us: 26 }
const LAST_INSTANT_MS = 8.64e15
const NOT_A_TIME = 'not a time'

/**
 * Formats an instant for people: `2026-08-01 12:00:00`, cut (not rounded) to the precision. The zone is in the
 * header.
 */
export function formatTime(timeMs: number, zone: Zone, precision: TimePrecision): string {
  const text = fullText(timeMs, zone)
  return text === null ? NOT_A_TIME : text.slice(0, lengths[precision])
}

/** Formats an instant with its zone, where no header names the zone: `2026-08-01 12:00 UTC`. */
export const zonedTime = (timeMs: number, zone: Zone, precision: TimePrecision = 'minute'): string =>
  `${formatTime(timeMs, zone, precision)} ${zoneName(zone)}`

/** Formats the time of day of an instant that is near: `12:00:05`. */
export const clockTime = (timeMs: number, zone: Zone): string => formatTime(timeMs, zone, 'second').slice(11)

/**
 * Formats an instant with nothing cut off and with its offset from UTC: `2026-08-01 12:00 UTC`,
 * `2026-08-01 14:00:00.250 UTC+02:00`. The step between neighbours makes all of them equally long; days in UTC are
 * dates.
 */
export function wholeTime(timeMs: number, zone: Zone, stepMs = 60_000): string {
  const finest = precisionOf([timeMs, stepMs])
  const precision = finest === 'day' && zone === 'local' ? 'minute' : finest
  const text = formatTime(timeMs, zone, precision)
  if (text === NOT_A_TIME || precision === 'day') return text
  return `${text} UTC${zone === 'utc' ? '' : offsetText(timeMs)}`
}

/** Formats an instant for copies and files, with all its digits and its offset: `2026-08-01T12:00:00.000Z`, `…000250+02:00`. */
export function exactTime(timeMs: number, zone: Zone): string {
  const text = fullText(timeMs, zone)
  if (text === null) return NOT_A_TIME
  const shown = text.endsWith('000') ? text.slice(0, lengths.ms) : text
  return shown.replace(' ', 'T') + (zone === 'utc' ? 'Z' : offsetText(timeMs))
}

/** The zone's name: `UTC`, or the one of this machine, such as `Europe/Paris`. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The coarsest precision that cuts nothing off any of these UTC instants. */
export function precisionOf(timesMs: Iterable<number | null | undefined>): TimePrecision {
  let found: TimePrecision = 'day'
  for (const time of timesMs) {
    if (typeof time !== 'number') continue
    if (!Number.isInteger(time)) return 'us'
    if (time % 1000 !== 0) found = 'ms'
    else if (found !== 'ms' && time % 60_000 !== 0) found = 'second'
    else if (found === 'day' && time % 86_400_000 !== 0) found = 'minute'
  }
  return found
}

/** Always 26 characters (more before year 0 and after 9999), or null beyond what a date can say. */
function fullText(timeMs: number, zone: Zone): string | null {
  // Microseconds are fractions that a double holds only nearly: rounding to them must happen before cutting.
  const micros = Math.round((timeMs - Math.floor(timeMs)) * 1000)
  const wholeMs = Math.floor(timeMs) + (micros === 1000 ? 1 : 0)
  if (!(Math.abs(wholeMs) <= LAST_INSTANT_MS)) return null
  const date = new Date(wholeMs)
  const shown = zone === 'utc' ? date : new Date(wholeMs - date.getTimezoneOffset() * 60_000)
  const iso = shown.toISOString()
  return `${iso.replace('T', ' ').replace('Z', '')}${padded(micros % 1000, 3)}`
}

/** Writes the offset of this machine's zone from UTC at an instant: `+02:00`. */
export function offsetText(timeMs: number): string {
  const minutes = -new Date(timeMs).getTimezoneOffset()
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}:${padded(size % 60, 2)}`
}

const padded = (value: number, digits: number) => String(value).padStart(digits, '0')
