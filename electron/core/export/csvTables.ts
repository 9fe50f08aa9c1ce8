/** Builds the initial memory of the CSV module, at the addresses that scripts/wasm/csvRows.as names. */

/** Constants that the module loads as vectors: each is repeated in all lanes. */
const VECTOR_FACTORS = [
  { address: 16, bits: 32, value: 3518437209 },
  { address: 32, bits: 32, value: 10_000 },
  { address: 48, bits: 32, value: 10_486 },
  { address: 64, bits: 16, value: 100 },
  { address: 80, bits: 16, value: 103 },
  { address: 96, bits: 16, value: 10 },
] as const
const VECTOR_BYTES = 16
const DAY_ADDRESS = 512
const TENS_ADDRESS = 768
const POWERS_ADDRESS = 1024
const SMALLEST_POWER = -292
const LARGEST_POWER = 326
const POINTS_ADDRESS = 12_288
const DIGITS_BEFORE_POINT = 16
const END_ADDRESS = POINTS_ADDRESS + (DIGITS_BEFORE_POINT + 1) * 2 * VECTOR_BYTES

const ZERO = 48
const POINT = 46
const NO_DAY = 0x7fffffff

let cachedTables: Uint8Array | null = null

/** Returns the initial memory, which is built once per thread. */
export function csvTables(): Uint8Array {
  if (cachedTables) return cachedTables
  const bytes = new Uint8Array(END_ADDRESS)
  const view = new DataView(bytes.buffer)
  for (const { address, bits, value } of VECTOR_FACTORS) {
    for (let lane = address; lane < address + VECTOR_BYTES; lane += bits / 8) {
      if (bits === 32) view.setUint32(lane, value, true)
      else view.setUint16(lane, value, true)
    }
  }
  view.setInt32(DAY_ADDRESS, NO_DAY, true)
  for (let power = 0; power < 20; power++) view.setBigUint64(TENS_ADDRESS + power * 8, 10n ** BigInt(power), true)
  fillPowers(view)
  for (let before = 1; before <= DIGITS_BEFORE_POINT; before++) fillPoint(view, before)
  cachedTables = bytes
  return bytes
}

/** Returns the number of binary digits of a power of ten. */
const bitsOfPower = (power: number) => BigInt(((power * 1_741_647) >> 19) + 1)

/** Fills in the powers of ten, each scaled to 128 bits and rounded up. */
function fillPowers(view: DataView): void {
  const putPower = (power: number, value: bigint) => {
    const offset = POWERS_ADDRESS + (power - SMALLEST_POWER) * VECTOR_BYTES
    view.setBigUint64(offset, value >> 64n, true)
    view.setBigUint64(offset + 8, BigInt.asUintN(64, value), true)
  }
  let power = 1n
  for (let exponent = 0; exponent <= LARGEST_POWER; exponent++, power *= 10n) {
    const surplus = bitsOfPower(exponent) - 128n
    putPower(exponent, surplus <= 0n ? power << -surplus : (power + (1n << surplus) - 1n) >> surplus)
    const isInverseUsed = exponent > 0 && -exponent >= SMALLEST_POWER
    if (isInverseUsed) putPower(-exponent, ((1n << (surplus + 255n)) + power - 1n) / power)
  }
}

/**
 * Fills in how the point is put into a number with this many digits before it: for each place after the first digit,
 * which byte moves there, and what is added to that byte.
 */
function fillPoint(view: DataView, before: number): void {
  const offset = POINTS_ADDRESS + before * 2 * VECTOR_BYTES
  for (let place = 0; place < VECTOR_BYTES; place++) {
    const point = before - 1
    view.setUint8(offset + place, place < point ? place : place === point ? 255 : place - 1)
    view.setUint8(offset + VECTOR_BYTES + place, place === point ? POINT : ZERO)
  }
}
