import type { OwnTimeUnit } from '#core/store/ownDataStore.ts'
import { isWholeNumber, parseZonelessInstant } from '#shared/lab/panelCells.ts'
import { parseDay } from '#shared/time.ts'

/** Bounds of whole numbers by unit: a number below the bound is of that unit. */
const units: readonly { unit: Exclude<OwnTimeUnit, 'instant'>; below: number; us: number }[] = [
  { unit: 's', below: 1e11, us: 1e6 },
  { unit: 'ms', below: 1e14, us: 1e3 },
  { unit: 'us', below: 1e17, us: 1 },
]

const unitNames: Readonly<Record<OwnTimeUnit, string>> = {
  instant: 'an instant',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
}

const HINT =
  'write an instant in UTC such as 2026-03-01T12:00Z, a day such as 2026-03-01, or whole seconds, milliseconds or microseconds since 1970'

/** Reads the times of a dataset, all of which are written alike: as the first one is. */
export class OwnTimes {
  unit: OwnTimeUnit | null = null
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
