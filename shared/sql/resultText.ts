/** Formats values of query results for files and the clipboard. */
import { MS_PER_DAY, MS_PER_MINUTE } from '#shared/time.ts'

/** Types whose text the engine itself writes, such as decimals and long integers; such a text cannot be a formula. */
const formattedTypePattern =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|DECIMAL|INTERVAL|DATE|TIME|BOOLEAN|UUID|BIT)(?!.*\[)/

/** Tells whether cells of a DuckDB type may contain any text, so that spreadsheets must be kept from running it. */
export const isFreeText = (type: string): boolean => !formattedTypePattern.test(type)

/** Texts of the minutes of a day, such as `T09:30:`, made when first needed. */
const minuteTexts: string[] = []
const twoDigits = (value: number) => (value < 10 ? `0${value}` : String(value))
const threeDigits = (value: number) => (value < 10 ? `00${value}` : value < 100 ? `0${value}` : String(value))

const minuteText = (minute: number) =>
  (minuteTexts[minute] ??= `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:`)

/** The day formatted last: neighbouring rows nearly always share it, and formatting a date takes most of the time. */
let lastDay = { day: 0, text: '1970-01-01' }

function dayText(day: number): string {
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * MS_PER_DAY).toISOString().slice(0, -14) }
  return lastDay.text
}

/**
 * Formats a value of a DuckDB type in ISO 8601: a `DATE` as a day, and any other time with microseconds. A year of more
 * than four digits has a sign, as ISO 8601 requires.
 */
export function timeText({ type }: { type: string }, timeMs: number): string {
  let wholeMs = Math.floor(timeMs)
  let micros = Math.round((timeMs - wholeMs) * 1000)
  if (micros === 1000) {
    wholeMs += 1
    micros = 0
  }
  const day = Math.floor(wholeMs / MS_PER_DAY)
  const date = dayText(day)
  if (type === 'DATE') return date
  const inDay = wholeMs - day * MS_PER_DAY
  const minute = Math.floor(inDay / MS_PER_MINUTE)
  const inMinute = inDay - minute * MS_PER_MINUTE
  const second = Math.floor(inMinute / 1000)
  return `${date}${minuteText(minute)}${twoDigits(second)}.${threeDigits(inMinute - second * 1000)}${threeDigits(micros)}Z`
}
