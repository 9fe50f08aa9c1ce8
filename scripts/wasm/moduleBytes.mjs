/** Encodes an unsigned number in LEB128. @param {number} value */
export function encodeUnsigned(value) {
  const bytes = []
  do {
    const rest = Math.floor(value / 128)
    bytes.push((value % 128) + (rest > 0 ? 128 : 0))
    value = rest
  } while (value > 0)
  return bytes
}

/** Encodes a signed number in LEB128. @param {bigint} value */
export function encodeSigned(value) {
  const bytes = []
  for (;;) {
    const low = Number(value & 127n)
    value >>= 7n
    const isLast = (value === 0n && low < 64) || (value === -1n && low >= 64)
    bytes.push(isLast ? low : low + 128)
    if (isLast) return bytes
  }
}

export const vector = (items) => [...encodeUnsigned(items.length), ...items.flat()]

export const text = (name) => vector([...Buffer.from(name)].map((byte) => [byte]))

export const double = (value) => [...new Uint8Array(Float64Array.of(value).buffer)]

/** Throws an error with the position in the source. */
export function fail(node, problem) {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  throw new Error(`line ${line + 1}: ${problem}: ${node.getText().slice(0, 80)}`)
}
