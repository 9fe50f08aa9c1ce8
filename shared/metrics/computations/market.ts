import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { tradesPart, notionalStep } from './tradeSteps.ts'

const vtwapPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep],
      values: {
        notional_total: plan.total('notional'),
        amount_total: plan.total('amount'),
        price_interval_mean: plan.mean('price'),
      },
    }),
  ],
  afterFill: [],
  columns: { vwap: plan.ratio('notional_total', 'amount_total'), twap: plan.value('price_interval_mean') },
}

const ohlcvPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [notionalStep],
      values: {
        price_first: plan.first('price'),
        price_highest: plan.greatest('price'),
        price_lowest: plan.least('price'),
        price_last: plan.last('price'),
        amount_total: plan.total('amount'),
        notional_total: plan.total('notional'),
      },
    }),
  ],
  afterFill: [],
  columns: {
    open: plan.value('price_first'),
    high: plan.value('price_highest'),
    low: plan.value('price_lowest'),
    close: plan.value('price_last'),
    volume: plan.value('amount_total'),
    volume_notional: plan.value('notional_total'),
  },
}

export const vtwap: DatasetComputation = {
  dataset: 'vtwap',
  reads: { trades: ['price', 'amount'] },
  plan: vtwapPlan,
  create:
    () =>
    ({ trades }, row) => {
      row[0] = quotient(trades.volumeNotional, trades.volume)
      row[1] = trades.prices.sum / trades.count
    },
}

export const ohlcv: DatasetComputation = {
  dataset: 'ohlcv',
  reads: { trades: ['price', 'amount'] },
  plan: ohlcvPlan,
  create:
    () =>
    ({ trades }, row) => {
      const { price } = trades.events
      const { high, low } = trades.prices
      row[0] = price[0]
      row[1] = high
      row[2] = low
      row[3] = price[price.length - 1]
      row[4] = trades.volume
      row[5] = trades.volumeNotional
    },
}
