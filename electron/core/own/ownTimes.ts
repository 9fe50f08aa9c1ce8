import type { OwnTimeUnit } from '#core/store/ownDataStore.ts'
import { isWholeNumber, parseZonelessInstant } from '#shared/lab/panelCells.ts'
import { parseDay } from '#shared/time.ts'
import { wholeTimeUnits as units } from '#shared/time/wholeTimes.ts'

const unitNames: Readonly<Record<OwnTimeUnit, string>> = {
  instant: 'an instant',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
}

const DAY_LENGTH = '2026-03-01'.length
const [ZERO, COLON, LETTER_T, LETTER_Z, BLANK] = [...'0:TZ '].map((character) => character.charCodeAt(0))

const HINT =
  'write an instant in UTC such as 2026-03-01T12:00Z, a day such as 2026-03-01, or whole seconds, milliseconds or microseconds since 1970'

/** Reads the times of a dataset, all of which are written alike: as the first one is. */
export class OwnTimes {
  unit: OwnTimeUnit | null = null
  readonly #dayBytes = new Uint8Array(DAY_LENGTH)
  #dayUs = NaN
  /** Whole numbers of the unit. */
  #bounds: (typeof units)[number] & { atLeast: number } = { ...units[0], atLeast: 0 }
  #lastText = ''
  #lastUs = 0

  /** Reads a cell as microseconds; a text says what is wrong with it. */
  read(text: string): number | string {
    if (text === this.#lastText && text !== '') return this.#lastUs
    const us = isWholeNumber(text) ? this.readNumber(Number(text), text) : this.#readInstant(text)
    if (typeof us !== 'number') return us
    this.#lastText = text
    this.#lastUs = us
    return us
  }

  /** Reads a cell as microseconds, if it is written as the one before it was; NaN if `read` must decide. */
  readBytes(bytes: Uint8Array, from: number, to: number): number {
    if (this.unit === null) return NaN
    return this.unit === 'instant' ? this.#instantBytes(bytes, from, to) : this.#numberBytes(bytes, from, to)
  }

  #numberBytes(bytes: Uint8Array, from: number, to: number): number {
    if (this.#bounds.unit !== this.unit) {
      const place = units.findIndex(({ unit }) => unit === this.unit)
      this.#bounds = { ...units[place], atLeast: place === 0 ? 0 : units[place - 1].below }
    }
    const { atLeast, below, us } = this.#bounds
    // A shorter number may be of another unit, and one of eight digits a day.
    if (to - from < 9 || to - from > 16) return NaN
    let value = 0
    for (let at = from; at < to; at++) {
      const digit = bytes[at] - ZERO
      if (!(digit >= 0 && digit <= 9)) return NaN
      value = value * 10 + digit
    }
    return value >= atLeast && value < below && Number.isSafeInteger(value) ? value * us : NaN
  }

  /** Reads `2026-03-01T12:00:00Z` and the like, on a day that was read as text before. */
  #instantBytes(bytes: Uint8Array, from: number, to: number): number {
    for (let at = 0; at < DAY_LENGTH; at++)
      if (bytes[from + at] !== this.#dayBytes[at]) return this.#newDay(bytes, from, to)
    const length = to - from
    if (length === DAY_LENGTH) return this.#dayUs
    let end = to
    if (bytes[end - 1] === LETTER_Z) end--
    const two = (at: number): number => {
      const [tens, ones] = [bytes[from + at] - ZERO, bytes[from + at + 1] - ZERO]
      return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
    }
    const isTime =
      (end - from === 19 && bytes[from + 16] === COLON) || end - from === 16
        ? (bytes[from + 10] === LETTER_T || bytes[from + 10] === BLANK) && bytes[from + 13] === COLON
        : false
    if (!isTime) return NaN
    const [hours, minutes, seconds] = [two(11), two(14), end - from === 19 ? two(17) : 0]
    if (!(hours < 24 && minutes < 60 && seconds < 60)) return NaN
    return this.#dayUs + ((hours * 60 + minutes) * 60 + seconds) * 1e6
  }

  /** Reads a time as text, and remembers its day. */
  #newDay(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < DAY_LENGTH) return NaN
    const us = this.read(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'))
    const dayUs = this.read(Buffer.from(bytes.buffer, bytes.byteOffset + from, DAY_LENGTH).toString('latin1'))
    if (typeof us !== 'number' || typeof dayUs !== 'number') return NaN
    this.#dayBytes.set(bytes.subarray(from, from + DAY_LENGTH))
    this.#dayUs = dayUs
    return us
  }

  /** Reads a whole number as microseconds. */
  readNumber(value: number, text = String(value)): number | string {
    if (/^\d{8}$/.test(text)) {
      const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
      if (parseDay(day) !== null)
        return `${text} could be a day or a number of seconds: write a day as ${day}, or an instant`
    }
    const found = units.find(({ below }) => Math.abs(value) < below)
    if (!found || !Number.isInteger(value)) return `“${text}” is not a time: ${HINT}`
    const clash = this.#clash(found.unit, text)
    return clash ?? value * found.us
  }

  /** Takes a time that was stored as an instant, in microseconds. */
  readStored(us: number): number | string {
    if (!Number.isFinite(us)) return 'the time is missing'
    return this.#clash('instant', 'it') ?? us
  }

  #readInstant(text: string): number | string {
    const timeMs = parseZonelessInstant(text)
    if (timeMs === null) return text === '' ? `the time is missing: ${HINT}` : `“${text}” is not a time: ${HINT}`
    return this.#clash('instant', text) ?? Math.round(timeMs * 1000)
  }

  #clash(unit: OwnTimeUnit, text: string): string | null {
    this.unit ??= unit
    if (this.unit === unit) return null
    return `${text} is ${unit === 'instant' ? '' : 'a number of '}${unitNames[unit]}, but the times before it are ${this.unit === 'instant' ? 'instants' : unitNames[this.unit]}; all times of a dataset must be written alike`
  }
}
