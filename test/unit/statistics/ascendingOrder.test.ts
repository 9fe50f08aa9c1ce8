import { ascendingOrder } from '#shared/statistics/ascendingOrder.ts'
import { expect, it } from 'vitest'
import { randomOf } from '../../fakes/panelWorld.ts'

const random = randomOf(7)
const listOf = (length: number, next: (at: number) => number) => Float64Array.from({ length }, (_, at) => next(at))
const someOf = (values: readonly number[]) => listOf(3000, () => values[Math.floor(random() * values.length)])

const lists = {
  'of nothing': new Float64Array(),
  'of one value': Float64Array.of(3),
  'without ties': listOf(3000, () => random() - 0.5),
  'with ties': listOf(3000, () => Math.round(20 * (random() - 0.5))),
  'that is constant': listOf(3000, () => -2.5),
  'that descends': listOf(3000, (at) => -at / 7),
  'of zeros of both signs': someOf([-0, 0]),
  'of extremes': someOf([-Infinity, Infinity, -Number.MAX_VALUE, 5e-324, -5e-324, 0, 1]),
  'whose values agree in many digits': listOf(3000, () => 60_000 + random() * 1e-6),
  'whose negative values agree in many digits': listOf(3000, () => -60_000 - random() * 1e-6),
  'in which few values agree in many digits': listOf(3000, (at) => (at % 50 === 0 ? 1 + random() * 1e-9 : random())),
}

const signOf = (value: number) => (Object.is(value, -0) ? -1 : 0)

it.each(Object.entries(lists))('orders a list %s, and keeps the order of equal values', (_name, values) => {
  const expected = Array.from(values, (_, at) => at).sort((a, b) => {
    if (values[a] === values[b]) return signOf(values[a]) - signOf(values[b]) || a - b
    return values[a] < values[b] ? -1 : 1
  })
  expect(Array.from(ascendingOrder(values))).toEqual(expected)
})

it('orders a part of a longer list, and leaves the values as they are', () => {
  const values = listOf(100, (at) => Math.cos(at))
  const part = values.subarray(10, 60)
  const before = values.slice()
  const ordered = Array.from(ascendingOrder(part), (at) => part[at])
  expect(ordered).toEqual(Array.from(part).sort((a, b) => a - b))
  expect(values).toEqual(before)
})
