/** Formats values of query results for files and the clipboard. */

/** Types whose text the engine itself writes, such as decimals and long integers; such a text cannot be a formula. */
const formattedTypePattern =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|DECIMAL|INTERVAL|DATE|TIME|BOOLEAN|UUID|BIT)(?!.*\[)/

/** Tells whether cells of a DuckDB type may contain any text, so that spreadsheets must be kept from running it. */
export const isFreeText = (type: string): boolean => !formattedTypePattern.test(type)

/**
 * Formats a value of a DuckDB type in ISO 8601: a `DATE` as a day, and any other time with microseconds. A year of more
 * than four digits has a sign, as ISO 8601 requires.
 */
export function timeText({ type }: { type: string }, timeMs: number): string {
  const wholeMs = Math.floor(timeMs)
  const iso = new Date(wholeMs).toISOString()
  if (type === 'DATE') return iso.slice(0, -14)
  const micros = Math.round((timeMs - wholeMs) * 1000)
  return `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
