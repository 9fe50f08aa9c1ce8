declare global {
  interface JSON {
    /** Makes a value that `JSON.stringify` writes as this text; TypeScript's libraries do not list the function yet. */
    rawJSON(text: string): object
  }
}

const NEGATIVE_ZERO = JSON.rawJSON('-0')

/** Writes JSON like `JSON.stringify`, which alone would write −0 as 0. */
export const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (Object.is(each, -0) ? NEGATIVE_ZERO : each))
