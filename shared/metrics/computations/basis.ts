import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import { ChangedValues, valueIfChanged } from './changedValues.ts'
import * as plan from '../expressions.ts'
import type { Aggregate, MetricPlan } from '../plan.ts'

/** Compares the mark price, at each of its updates, with the latest value of one other price. */
class Comparison {
  private readonly differences = new ChangedValues()
  private readonly bps = new ChangedValues()
  private lastDifference = NaN
  private lastBps = NaN

  fill(mark: { timeUs: Float64Array; value: Float64Array }, otherTimeUs: Float64Array, other: Float64Array): void {
    this.differences.clear()
    this.bps.clear()
    this.lastDifference = this.lastBps = NaN
    let at = -1
    for (let i = 0; i < mark.value.length; i++) {
      while (at + 1 < otherTimeUs.length && otherTimeUs[at + 1] <= mark.timeUs[i]) at++
      if (at < 0) continue
      this.lastDifference = mark.value[i] - other[at]
      this.lastBps = quotient(this.lastDifference, other[at]) * 1e4
      this.differences.add(this.lastDifference)
      if (!Number.isNaN(this.lastBps)) this.bps.add(this.lastBps)
    }
  }

  write(row: Float64Array, lastAt: number, overIntervalAt: number): void {
    row[lastAt] = this.lastDifference
    row[lastAt + 1] = this.lastBps
    row[overIntervalAt] = this.differences.mean
    row[overIntervalAt + 1] = this.bps.deviation
  }
}

const differenceColumns = ['index_difference', 'index_bps', 'trade_difference', 'trade_bps']

const comparisonValues = (other: string): Record<string, Aggregate> => ({
  [`${other}_difference_last`]: plan.last(`${other}_difference`),
  [`${other}_bps_last`]: plan.last(`${other}_bps`),
  [`${other}_difference_mean`]: plan.mean(`${other}_difference_changed`),
  [`${other}_bps_variance`]: plan.variance(`${other}_bps_changed_distance`),
})

const basisPlan: MetricPlan = {
  parts: [
    {
      name: 'marks',
      source: 'mark_price',
      reads: ['mark_price'],
      asOf: [
        { source: 'index_price', columns: { index_then: 'index_price' } },
        { source: 'trades', columns: { trade_then: 'price' } },
      ],
      steps: [
        plan.define('Differences of the mark from the index and the last trade as of this update', {
          index_difference: plan.subtract('mark_price', 'index_then'),
          index_bps: plan.multiply(plan.ratio(plan.subtract('mark_price', 'index_then'), 'index_then'), 10_000),
          trade_difference: plan.subtract('mark_price', 'trade_then'),
          trade_bps: plan.multiply(plan.ratio(plan.subtract('mark_price', 'trade_then'), 'trade_then'), 10_000),
        }),
        plan.define(
          'Values at the previous update',
          Object.fromEntries(differenceColumns.map((column) => [`${column}_before`, plan.before(column)])),
        ),
        plan.define(
          'Only changed values count',
          Object.fromEntries(differenceColumns.map((column) => [`${column}_changed`, valueIfChanged(column)])),
        ),
        ...plan.centre('index_bps_changed', 'trade_bps_changed'),
      ],
      values: { ...comparisonValues('index'), ...comparisonValues('trade') },
    },
  ],
  afterFill: [],
  columns: {
    basis: plan.value('index_difference_last'),
    basis_bps: plan.value('index_bps_last'),
    mark_price_spread: plan.value('trade_difference_last'),
    mark_price_spread_bps: plan.value('trade_bps_last'),
    basis_mean: plan.value('index_difference_mean'),
    basis_bps_std: plan.sqrt('index_bps_variance'),
    mark_price_spread_mean: plan.value('trade_difference_mean'),
    mark_price_spread_bps_std: plan.sqrt('trade_bps_variance'),
  },
}

export const basis: DatasetComputation = {
  dataset: 'basis',
  reads: { mark_price: ['value'], index_price: ['value'], trades: ['price'] },
  plan: basisPlan,
  create: () => {
    const toIndex = new Comparison()
    const toTrade = new Comparison()
    return (interval, row) => {
      const mark = interval.inside('mark_price')
      const index = interval.asOf('index_price')
      const trades = interval.asOf('trades')
      toIndex.fill(mark, index.timeUs, index.value)
      toTrade.fill(mark, trades.timeUs, trades.price)
      toIndex.write(row, 0, 4)
      toTrade.write(row, 2, 6)
    }
  },
}
