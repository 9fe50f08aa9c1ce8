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

/**
 * Writes a list of numbers; null if anything else is in it. A number that repeats the one before is converted once,
 * because most numbers of a path do, and converting takes most of the time.
 */
function numbersText(list: readonly unknown[]): string | null {
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
