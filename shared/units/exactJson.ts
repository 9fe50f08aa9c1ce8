declare global {
  interface JSON {
    /**
     * Creates a value that `JSON.stringify` writes as this text; TypeScript's libraries do not declare the function
     * yet.
     */
    rawJSON(text: string): object
  }
}

const NEGATIVE_ZERO = JSON.rawJSON('-0')

/** Writes JSON like `JSON.stringify`, but keeps the sign of −0. */
export const exactJson = (value: unknown): string =>
  (Array.isArray(value) && numbersText(value)) ||
  JSON.stringify(value, (_key, each: unknown) => (Object.is(each, -0) ? NEGATIVE_ZERO : each))

/** Number of first numbers by which a list is judged. */
const JUDGED_NUMBERS = 64

/**
 * Writes a list of numbers; null if anything else is in it. A number that repeats the one before is converted once,
 * because most numbers of a path do, and converting takes most of the time. Where few repeat, the engine writes the list
 * itself: it makes no text for each number, which it would keep for a while.
 */
function numbersText(list: readonly unknown[]): string | null {
  const judged = list.slice(0, JUDGED_NUMBERS)
  const repeats = judged.filter((value, at) => at > 0 && value === judged[at - 1]).length
  if (2 * repeats > judged.length) return repeatedText(list)
  for (let at = 0; at < list.length; at++) {
    const value = list[at]
    if (typeof value !== 'number') return null
    if (value === 0 && Object.is(value, -0)) return repeatedText(list)
  }
  return JSON.stringify(list)
}

function repeatedText(list: readonly unknown[]): string | null {
  const texts = new Array<string>(list.length)
  let before = NaN
  let text = ''
  for (let at = 0; at < list.length; at++) {
    const value = list[at]
    if (typeof value !== 'number') return null
    if (value !== before || value === 0) {
      before = value
      text = numberText(value)
    }
    texts[at] = text
  }
  return `[${texts.join(',')}]`
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  return Object.is(value, -0) ? '-0' : String(value)
}
