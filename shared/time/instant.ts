export type TimeZoneChoice = 'utc' | 'local'

const two = (value: number) => String(value).padStart(2, '0')

/** Minutes this machine's clock is ahead of UTC at that instant. */
export const localOffsetMinutes = (timeMs: number): number => -new Date(timeMs).getTimezoneOffset()

function offsetWords(minutes: number): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** An instant in ISO order, e.g. `2026-08-01 09:58:12Z`, or `2026-08-01 11:58:12+02:00` in this machine's zone. */
export function instantWords(timeMs: number, zone: TimeZoneChoice, upTo: 'minute' | 'second' | 'ms'): string {
  const offset = zone === 'utc' ? 0 : localOffsetMinutes(timeMs)
  const iso = new Date(timeMs + offset * 60_000).toISOString()
  const text = iso.slice(0, { minute: 16, second: 19, ms: 23 }[upTo]).replace('T', ' ')
  return text + (zone === 'utc' ? 'Z' : offsetWords(offset))
}

/** What the chosen zone is called: `UTC`, or e.g. `Europe/Berlin`. */
export function zoneName(zone: TimeZoneChoice): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
}
