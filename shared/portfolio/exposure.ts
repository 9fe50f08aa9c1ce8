import type { NumberKind } from '#shared/units/numberKinds.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'

/** Sums from one pass over a day's weights. */
interface WeightSums {
  /** Sum of the positive weights. */
  long: number
  /** Sum of the negative weights. */
  short: number
  squares: number
  nameCount: number
  /** Sum of the five largest absolute weights. */
  largest: number
}

/** A figure of one day's weights. A null weight counts as 0; a day without any weight has no value. */
interface ExposureFigure {
  id: string
  name: string
  unit: NumberKind
  formula: string
  compute(sums: WeightSums): number
}

const LARGEST_COUNT = 5
const gross = ({ long, short }: WeightSums) => long - short

/** Returns the net exposure without rounding residue: decimals do not sum to 0 exactly in binary. */
function net({ long, short }: WeightSums): number {
  const sum = long + short
  return Math.abs(sum) < 1e-12 * (long - short) ? 0 : sum
}

export const exposureFigures: readonly ExposureFigure[] = [
  { id: 'gross', name: 'Gross', unit: 'share', formula: 'Sum of absolute weights', compute: gross },
  { id: 'net', name: 'Net', unit: 'share', formula: 'Sum of weights', compute: net },
  { id: 'long', name: 'Long', unit: 'share', formula: 'Sum of weights above 0', compute: ({ long }) => long },
  {
    id: 'short',
    name: 'Short',
    unit: 'share',
    formula: 'Sum of weights below 0 (negative)',
    compute: ({ short }) => short,
  },
  {
    id: 'names',
    name: 'Names',
    unit: 'count',
    formula: 'Number of weights other than 0',
    compute: (sums) => sums.nameCount,
  },
  {
    id: 'effectiveNames',
    name: 'Effective number',
    unit: 'ratio',
    formula: 'Gross squared over the sum of squared weights',
    compute: (sums) => gross(sums) ** 2 / sums.squares,
  },
  {
    id: 'herfindahl',
    name: 'Herfindahl',
    unit: 'fraction',
    formula: 'Sum of squared shares of gross: 1 for a single name',
    compute: (sums) => sums.squares / gross(sums) ** 2,
  },
  {
    id: 'topFive',
    name: 'Five largest',
    unit: 'share',
    formula: 'The five largest absolute weights over gross',
    compute: (sums) => sums.largest / gross(sums),
  },
]

/** @param weights weights of one day, with nulls replaced by 0 */
export function weightSums(weights: Float64Array): WeightSums {
  const sums = { long: 0, short: 0, squares: 0, nameCount: 0, largest: 0 }
  const largest = new Float64Array(LARGEST_COUNT)
  for (const weight of weights) {
    if (weight === 0) continue
    sums.nameCount++
    sums.squares += weight * weight
    if (weight > 0) sums.long += weight
    else sums.short += weight
    insertLargest(largest, Math.abs(weight))
  }
  for (const size of largest) sums.largest += size
  return sums
}

/** Inserts a weight among the largest, in descending order. */
function insertLargest(largest: Float64Array, size: number): void {
  let at = LARGEST_COUNT - 1
  if (size <= largest[at]) return
  for (; at > 0 && largest[at - 1] < size; at--) largest[at] = largest[at - 1]
  largest[at] = size
}

/** Computes the exposure of one day's weights (nulls replaced by 0). */
export function exposureValues(weights: Float64Array): Record<string, number | null> {
  const sums = weightSums(weights)
  return Object.fromEntries(exposureFigures.map(({ id, compute }) => [id, finiteOrNull(compute(sums))]))
}
