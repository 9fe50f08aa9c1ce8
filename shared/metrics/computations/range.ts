import type { DatasetComputation } from '../datasetComputation.ts'
import { momentsOf } from '../../statistics/moments.ts'
import { distributionAggregates, distributionColumns, writeDistribution } from '../distributionColumns.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { tradesPart } from './tradeSteps.ts'

const rangePlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price'],
      steps: plan.centre('price'),
      values: {
        price_last: plan.last('price'),
        price_lowest: plan.least('price'),
        price_highest: plan.greatest('price'),
        ...distributionAggregates('price'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    range: plan.subtract('price_highest', 'price_lowest'),
    range_bps: plan.multiply(plan.ratio(plan.subtract('price_highest', 'price_lowest'), 'price_last'), 10_000),
    ...distributionColumns('price', 'price'),
    price_range_ratio: plan.ratio('price_highest', 'price_lowest'),
    price_cv: plan.ratio(plan.sqrt('price_sample_variance'), 'price_interval_mean'),
  },
}

export const range: DatasetComputation = {
  dataset: 'range',
  reads: { trades: ['price'] },
  plan: rangePlan,
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      const moments = momentsOf(price)
      const priceRange = moments.max - moments.min
      row[0] = priceRange
      row[1] = quotient(priceRange, price[trades.count - 1]) * 1e4
      writeDistribution(row, 2, price, moments)
      row[8] = quotient(moments.max, moments.min)
      row[9] = quotient(row[4], moments.mean)
    },
}
