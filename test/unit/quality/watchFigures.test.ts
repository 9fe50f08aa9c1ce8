import { expect, test } from 'vitest'
import { annualFunding, dayChange, sparkOf, valueAt, volumeScore } from '#shared/quality/watchFigures.ts'

const HOUR = 3_600_000
const hourly = (count: number, value: (row: number) => number) => ({
  times: Float64Array.from({ length: count }, (_, row) => row * HOUR),
  values: Float64Array.from({ length: count }, (_, row) => value(row)),
})

test('the last value and its change against 24 hours before, missing rows left out', () => {
  const series = hourly(30, (row) => (row === 29 || row === 4 ? NaN : 100 + row))
  expect(valueAt(series)).toEqual({ time: 28 * HOUR, value: 128 })
  // The close 24 hours earlier is missing, so the close before it counts.
  expect(dayChange(series)).toBeCloseTo(128 / 103 - 1, 15)
  expect(dayChange(hourly(10, () => 1))).toBeNull()
})

test('a year of funding at the last rate, and nothing where nobody said how often it falls due', () => {
  expect(annualFunding(0.0001, 8 * HOUR)).toBeCloseTo(0.0001 * 3 * 365, 15)
  expect(annualFunding(0.0001, null)).toBeNull()
  expect(annualFunding(null, 8 * HOUR)).toBeNull()
})

test('the volume of the last whole day against the 30 before it', () => {
  const volumes = Array.from({ length: 31 }, (_, day) => 10 + (day % 3))
  const before = volumes.slice(0, 30)
  const mean = before.reduce((sum, each) => sum + each) / 30
  const deviation = Math.sqrt(before.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 29)
  const rows = hourly(31 * 24 + 5, (row) => (row % 24 === 0 ? (volumes[row / 24] ?? 1e9) : 0))
  expect(volumeScore(rows, HOUR)).toBeCloseTo((volumes[30] - mean) / deviation, 12)
  expect(
    volumeScore(
      hourly(30 * 24, () => 1),
      HOUR,
    ),
  ).toBeNull()
})

test('a sparkline has the last close of every three hours of 7 days, and gaps where there is none', () => {
  const spark = sparkOf(hourly(8 * 24, (row) => (row < 30 ? NaN : row)))
  expect([spark.length, spark.at(-1), spark.at(-2), spark[0], spark[2]]).toEqual([56, 191, 188, null, 32])
  expect(sparkOf(hourly(3, () => NaN))).toEqual([])
})
