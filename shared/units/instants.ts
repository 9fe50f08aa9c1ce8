/** Zone of labels, tables and exports. Storage and computation always use UTC. */
export type Zone = 'utc' | 'local'

export type TimePrecision = 'day' | 'minute' | 'second' | 'ms' | 'us'

const lengths: Record<TimePrecision, number> = { day: 10, minute: 16, second: 19, ms: 23, us: 26 }
const LAST_INSTANT_MS = 8.64e15
const NOT_A_TIME = 'not a time'

/**
 * Formats an instant for display: `2026-08-01 12:00:00`, truncated (not rounded) to the precision. Tables show the zone
 * in the column header.
 */
export function formatTime(timeMs: number, zone: Zone, precision: TimePrecision): string {
  const text = fullText(timeMs, zone)
  return text === null ? NOT_A_TIME : text.slice(0, lengths[precision])
}

/** Formats an instant with its zone, where no header shows it: `2026-08-01 12:00 UTC`. */
export const zonedTime = (timeMs: number, zone: Zone, precision: TimePrecision = 'minute'): string =>
  `${formatTime(timeMs, zone, precision)} ${zoneName(zone)}`

/** Formats only the time of day: `12:00:05`. */
export const clockTime = (timeMs: number, zone: Zone): string => formatTime(timeMs, zone, 'second').slice(11)

/**
 * Formats an instant with its UTC offset and without truncation, such as `2026-08-01 14:00:00.250 UTC+02:00`. `stepMs`
 * is the distance between neighbouring labels; no label is less precise than this distance. Only the date is shown if
 * the zone is UTC, the instant is at midnight and the distance is whole days.
 */
export function wholeTime(timeMs: number, zone: Zone, stepMs = 60_000): string {
  const finest = precisionOf([timeMs, stepMs])
  const precision = finest === 'day' && zone === 'local' ? 'minute' : finest
  const text = formatTime(timeMs, zone, precision)
  if (text === NOT_A_TIME || precision === 'day') return text
  return `${text} UTC${zone === 'utc' ? '' : offsetText(timeMs)}`
}

/**
 * Formats an instant for copies and files, with all digits and its offset: `2026-08-01T12:00:00.000Z`, `…000250+02:00`.
 */
export function exactTime(timeMs: number, zone: Zone): string {
  const text = fullText(timeMs, zone)
  if (text === null) return NOT_A_TIME
  const shown = text.endsWith('000') ? text.slice(0, lengths.ms) : text
  return shown.replace(' ', 'T') + (zone === 'utc' ? 'Z' : offsetText(timeMs))
}

/** Returns the name of a zone: `UTC`, or the zone of this machine, such as `Europe/Paris`. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns the coarsest precision that shows these UTC instants without truncation. */
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

/** Returns 26 characters (more before year 0 and after 9999), or null outside the range of Date. */
function fullText(timeMs: number, zone: Zone): string | null {
  // Microseconds are inexact fractions in a double, so they are rounded before truncation.
  const micros = Math.round((timeMs - Math.floor(timeMs)) * 1000)
  const wholeMs = Math.floor(timeMs) + (micros === 1000 ? 1 : 0)
  if (!(Math.abs(wholeMs) <= LAST_INSTANT_MS)) return null
  const date = new Date(wholeMs)
  const shown = zone === 'utc' ? date : new Date(wholeMs - date.getTimezoneOffset() * 60_000)
  const iso = shown.toISOString()
  return `${iso.replace('T', ' ').replace('Z', '')}${padded(micros % 1000, 3)}`
}

/** Formats this machine's UTC offset at an instant: `+02:00`. */
export function offsetText(timeMs: number): string {
  const minutes = -new Date(timeMs).getTimezoneOffset()
  const absoluteMinutes = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(absoluteMinutes / 60), 2)}:${padded(absoluteMinutes % 60, 2)}`
}

const padded = (value: number, digits: number) => String(value).padStart(digits, '0')
