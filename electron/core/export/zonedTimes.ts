import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'

const MS_PER_QUARTER = 900_000

/** Writes instants in ISO with the offset of a zone: `2026-08-01T12:00:00.000Z`, `…+02:00`; with microseconds where there are some. */
export function zonedTimes(zone: string): (timeMs: number) => string {
  if (zone === 'UTC') return (timeMs) => `${isoDigits(timeMs)}Z`
  const offsetOf = offsetsOf(zone)
  return (timeMs) => {
    const offsetMs = offsetOf(timeMs)
    return isoDigits(timeMs + offsetMs) + offsetText(offsetMs)
  }
}

/** The day's start and its text: instants of a file follow one another. */
let dayMs = NaN
let dayText = ''

function isoDigits(timeMs: number): string {
  const micros = Math.round((timeMs - Math.floor(timeMs)) * 1000)
  const wholeMs = Math.floor(timeMs) + (micros === 1000 ? 1 : 0)
  const startMs = Math.floor(wholeMs / MS_PER_DAY) * MS_PER_DAY
  if (startMs !== dayMs) {
    dayText = new Date(startMs).toISOString().slice(0, -13)
    dayMs = startMs
  }
  const inDay = wholeMs - startMs
  const hours = twoDigits[Math.floor(inDay / 3_600_000)]
  const minutes = twoDigits[Math.floor(inDay / 60_000) % 60]
  const seconds = twoDigits[Math.floor(inDay / 1000) % 60]
  const digits = `${dayText}${hours}:${minutes}:${seconds}.${threeDigits(inDay % 1000)}`
  return micros % 1000 === 0 ? digits : digits + threeDigits(micros)
}

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const threeDigits = (value: number) => String(value).padStart(3, '0')

/** Offsets change at quarters of an hour at the finest; a quarter's is asked for once. */
function offsetsOf(zone: string): (timeMs: number) => number {
  const format = formatOf(zone)
  let quarter = NaN
  let offsetMs = 0
  return (timeMs) => {
    const wanted = Math.floor(timeMs / MS_PER_QUARTER)
    if (wanted !== quarter) {
      quarter = wanted
      const parts = format.formatToParts(wanted * MS_PER_QUARTER)
      offsetMs = parsedOffset(parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT')
    }
    return offsetMs
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch (cause) {
    throw new AppError('bad-input', `“${zone}” is not a time zone.`, { cause })
  }
}

function parsedOffset(text: string): number {
  const match = /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  if (!match) return 0
  const ms = Number(match[2]) * 3_600_000 + Number(match[3]) * 60_000 + Number(match[4] ?? 0) * 1000
  return match[1] === '-' ? -ms : ms
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000))
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`
}
