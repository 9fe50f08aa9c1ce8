import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { readNumbers } from '#core/parquet/readColumn.ts'
import { type EncodedValue, i32, struct } from '../../fakes/hostileParquet.ts'
import { randomOf } from '../../fakes/panelWorld.ts'
import {
  bytesValue,
  longBytes,
  parquetBytes,
  plainChunk,
  textBytes,
  type WrittenColumn,
} from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/** Digits of a random integer of at most this many digits, with its sign. */
function drawInteger(random: () => number, precision: number): bigint {
  const length = 1 + Math.floor(random() * precision)
  const digits = Array.from({ length }, () => Math.floor(random() * 10)).join('')
  return BigInt(digits) * (random() < 0.5 ? -1n : 1n)
}

/** Writes an integer / 10^scale in decimal digits, whose nearest double `Number` finds. */
function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  const end = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, end)}.${digits.slice(end)}0`
}

/** Returns a signed integer with its highest byte first. */
function bigEndian(value: bigint, length: number): Uint8Array {
  const hex = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0')
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

const shortest = (value: bigint): number => {
  let length = 1
  while (BigInt.asIntN(length * 8, value) !== value) length++
  return length
}

type Physical = 'INT32' | 'INT64' | 'FIXED_LEN_BYTE_ARRAY' | 'BYTE_ARRAY'

function encode(values: readonly bigint[], type: Physical, length: number): Uint8Array {
  if (type === 'INT32') return new Uint8Array(Int32Array.from(values, Number).buffer)
  if (type === 'INT64') return longBytes(...values)
  if (type === 'BYTE_ARRAY') return textBytes(...values.map((value) => bigEndian(value, shortest(value))))
  return new Uint8Array(Buffer.concat(values.map((value) => bigEndian(value, length))))
}

function columnOf(
  values: readonly bigint[],
  {
    type,
    precision,
    scale,
    length,
    isLogical,
  }: { type: Physical; precision: number; scale: number; length: number; isLogical?: boolean },
  statistics?: Record<number, EncodedValue>,
): WrittenColumn {
  const converted = { 6: i32(5), 7: i32(scale), 8: i32(precision) }
  const logical = { 10: struct({ 5: struct({ 1: i32(scale), 2: i32(precision) }) }) }
  const element = { ...(type === 'FIXED_LEN_BYTE_ARRAY' && { 2: i32(length) }), ...(isLogical ? logical : converted) }
  const chunk = { ...plainChunk(values.length, encode(values, type, length)), ...(statistics && { statistics }) }
  return { name: 'price', type, element, chunks: [chunk] }
}

function write(column: WrittenColumn): string {
  const rows = column.chunks[0].rows
  const time = plainChunk(rows, longBytes(...Array.from({ length: rows }, (_, row) => row * 60_000)))
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, parquetBytes([{ name: 'time', type: 'INT64', chunks: [time] }, column]))
  return path
}

function read(path: string): number[] {
  using file = new ParquetFile(path, { remember: false })
  const values = new Float64Array(file.rows)
  readNumbers(file, 'price', { from: 0, to: file.rows }, { values, at: 0 })
  return [...values]
}

const kinds: { type: Physical; precision: number; scale: number; length: number; isLogical?: boolean }[] = [
  { type: 'INT32', precision: 4, scale: 2, length: 4 },
  { type: 'INT32', precision: 9, scale: 3, length: 4 },
  { type: 'INT32', precision: 9, scale: 9, length: 4, isLogical: true },
  { type: 'INT64', precision: 15, scale: 3, length: 8 },
  { type: 'INT64', precision: 18, scale: 0, length: 8 },
  { type: 'INT64', precision: 18, scale: 7, length: 8, isLogical: true },
  { type: 'FIXED_LEN_BYTE_ARRAY', precision: 9, scale: 3, length: 4 },
  { type: 'FIXED_LEN_BYTE_ARRAY', precision: 14, scale: 6, length: 6 },
  { type: 'FIXED_LEN_BYTE_ARRAY', precision: 16, scale: 5, length: 7, isLogical: true },
  { type: 'FIXED_LEN_BYTE_ARRAY', precision: 38, scale: 3, length: 16 },
  { type: 'FIXED_LEN_BYTE_ARRAY', precision: 38, scale: 30, length: 16 },
  { type: 'BYTE_ARRAY', precision: 7, scale: 3, length: 0 },
  { type: 'BYTE_ARRAY', precision: 38, scale: 10, length: 0, isLogical: true },
]

it.each(kinds)('reads the nearest double of every decimal: $type, $precision digits, $scale decimals', (kind) => {
  const random = randomOf(kind.precision * 100 + kind.scale)
  const values = [0n, 1n, -1n, ...Array.from({ length: 400 }, () => drawInteger(random, kind.precision))]
  const expected = values.map((value) => Number(decimalText(value, kind.scale)))
  expect(read(write(columnOf(values, kind))).map((value) => value + 0)).toEqual(expected.map((value) => value + 0))
})

it('does not multiply by a power of ten that no double is', () => {
  expect(read(write(columnOf([743_396n], { type: 'INT64', precision: 18, scale: 3, length: 8 })))).toEqual([743.396])
})

const oldKinds = kinds.filter(({ type, precision }) => type.endsWith('BYTE_ARRAY') && precision <= 9)

it.each(oldKinds)('ignores the outdated statistics of $type, in which negative decimals are the highest', (kind) => {
  const values = [-5000n, 12n, 7000n]
  const outdated = {
    1: bytesValue(bigEndian(-5000n, 4)),
    2: bytesValue(bigEndian(12n, 4)),
    3: { type: 6, bytes: Uint8Array.of(0) },
  }
  const path = write(columnOf(values, kind, outdated))
  expect(read(path)).toEqual([-5, 0.012, 7])
  const { facts } = validateParquet(path, { deep: true })
  expect(facts.columns[1]).toMatchObject({ nulls: 0 })
  expect(facts.doubtfulColumns).toEqual([1])
})

it('refuses a decimal outside of the bounds that the file states', () => {
  const stated = { 5: bytesValue(bigEndian(8000n, 4)), 6: bytesValue(bigEndian(-4000n, 4)) }
  const path = write(
    columnOf([-5000n, 12n], { type: 'FIXED_LEN_BYTE_ARRAY', precision: 9, scale: 3, length: 4 }, stated),
  )
  expect(() => validateParquet(path, { deep: true })).toThrow('column price cannot be read')
})
