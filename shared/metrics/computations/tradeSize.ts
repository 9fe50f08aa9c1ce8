import type { DatasetComputation } from '../datasetComputation.ts'
import { momentsOf } from '../../statistics/moments.ts'
import { distributionAggregates, distributionColumns, writeDistribution } from '../distributionColumns.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { tradesPart, notionalStep, sizeClasses } from './tradeSteps.ts'

const classNames = sizeClasses.map(([size]) => size)

const tradeSizePlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep, ...plan.centre('amount')],
      values: {
        ...Object.fromEntries(
          sizeClasses.map(([size, condition]) => [`${size}_notional`, plan.total(plan.choose(condition, 'notional'))]),
        ),
        ...Object.fromEntries(sizeClasses.map(([size, condition]) => [`${size}_trades`, plan.count(condition)])),
        trades: plan.count(),
        amount_total: plan.total('amount'),
        amount_interval_least: plan.least('amount'),
        amount_interval_greatest: plan.greatest('amount'),
        ...distributionAggregates('amount'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ...Object.fromEntries(classNames.map((size) => [`${size}_order_volume`, plan.value(`${size}_notional`)])),
    ...Object.fromEntries(classNames.map((size) => [`${size}_order_count`, plan.value(`${size}_trades`)])),
    volume: plan.value('amount_total'),
    n_trades: plan.value('trades'),
    ...Object.fromEntries(
      classNames.map((size) => [`${size}_order_percentage`, plan.ratio(`${size}_notional`, 'amount_total')]),
    ),
    ...Object.fromEntries(
      classNames.map((size) => [`${size}_order_count_percentage`, plan.ratio(`${size}_trades`, 'trades')]),
    ),
    ...distributionColumns('trade_amount', 'amount'),
    trade_amount_min: plan.value('amount_interval_least'),
    trade_amount_max: plan.value('amount_interval_greatest'),
    trade_amount_range_ratio: plan.ratio('amount_interval_greatest', 'amount_interval_least'),
    trade_amount_cv: plan.ratio(plan.sqrt('amount_sample_variance'), 'amount_interval_mean'),
  },
}

export const tradeSize: DatasetComputation = {
  dataset: 'trade_size',
  reads: { trades: ['price', 'amount'] },
  plan: tradeSizePlan,
  create:
    () =>
    ({ trades }, row) => {
      const { notional, count, amount: volume } = trades.sizeSums
      const { amount } = trades.events
      for (let size = 0; size < 3; size++) {
        row[size] = notional[size]
        row[3 + size] = count[size]
        row[8 + size] = quotient(row[size], volume)
        row[11 + size] = row[3 + size] / trades.count
      }
      row[6] = volume
      row[7] = trades.count
      const moments = momentsOf(amount)
      writeDistribution(row, 14, amount, moments)
      row[20] = moments.min
      row[21] = moments.max
      row[22] = quotient(moments.max, moments.min)
      row[23] = quotient(row[16], moments.mean)
    },
}
