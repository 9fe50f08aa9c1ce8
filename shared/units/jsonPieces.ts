/** Maximum number of values written as one piece. */
const MOST_PIECE_VALUES = 4096

/**
 * Stands for a value, such as a row of a long table, that is made only while it is written as JSON; the values of the
 * whole table would take several times the memory of its numbers.
 */
export const madeWhenWritten = <Value>(make: () => Value): Value => ({ toJSON: make }) as Value

/**
 * Writes plain objects and arrays as JSON in pieces, because a large result as one text would be in memory twice.
 * @param write `JSON.stringify`, or another function that writes individual values
 */
export function* jsonPieces(
  value: unknown,
  write: (value: unknown) => string | undefined = JSON.stringify,
): Generator<string> {
  if (isMadeLater(value)) yield* jsonPieces(value.toJSON(), write)
  else if (typeof value !== 'object' || value === null || countOf(value, MOST_PIECE_VALUES) <= MOST_PIECE_VALUES) {
    yield write(value) ?? 'null'
  } else if (Array.isArray(value)) yield* listPieces(value, write)
  else yield* objectPieces(value, write)
}

function* listPieces(list: readonly unknown[], write: (value: unknown) => string | undefined): Generator<string> {
  yield '['
  const isFlat = list.every((one) => typeof one !== 'object' || one === null)
  const step = isFlat ? MOST_PIECE_VALUES : 1
  for (let at = 0; at < list.length; at += step) {
    if (at > 0) yield ','
    if (isFlat) yield (write(list.slice(at, at + step)) ?? '').slice(1, -1)
    else yield* jsonPieces(list[at], write)
  }
  yield ']'
}

function* objectPieces(value: object, write: (value: unknown) => string | undefined): Generator<string> {
  let before = '{'
  for (const [key, one] of Object.entries(value) as [string, unknown][]) {
    if (one === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* jsonPieces(one, write)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

const isMadeLater = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'

/** Counts the values in objects and arrays, up to a limit; those that are made later count as more. */
function countOf(value: object, limit: number): number {
  if (isMadeLater(value)) return limit + 1
  let count = Array.isArray(value) ? value.length : 0
  if (count > limit) return count
  for (const one of Object.values(value) as unknown[]) {
    count += typeof one === 'object' && one !== null ? countOf(one, limit - count) : 1
    if (count > limit) return count
  }
  return count
}
