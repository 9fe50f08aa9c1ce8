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
  JSON.stringify(value, (_key, each: unknown) => (Object.is(each, -0) ? NEGATIVE_ZERO : each))
