import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan, PlanCondition } from '../plan.ts'
import { tradesPart, priceBeforeStep } from './tradeSteps.ts'

const ticks: [string, PlanCondition][] = [
  ['uptick', plan.above('price', 'price_before')],
  ['downtick', plan.above('price_before', 'price')],
  ['unchanged', plan.equal('price', 'price_before')],
]

const tickNames = ticks.map(([tick]) => tick)

const updownticksPlan: MetricPlan = {
  parts: [
    tradesPart({
      reads: ['price', 'amount'],
      steps: [priceBeforeStep],
      values: {
        ...Object.fromEntries(ticks.map(([tick, condition]) => [`${tick}_trades`, plan.count(condition)])),
        ...Object.fromEntries(
          ticks.map(([tick, condition]) => [`${tick}_amount`, plan.total(plan.choose(condition, 'amount'))]),
        ),
        compared_trades: plan.count(plan.any(...ticks.map(([, condition]) => condition))),
        compared_amount: plan.total(plan.choose(plan.present('price_before'), 'amount')),
      },
    }),
  ],
  afterFill: [],
  columns: {
    ...Object.fromEntries(tickNames.map((tick) => [`${tick}_count`, plan.value(`${tick}_trades`)])),
    ...Object.fromEntries(tickNames.map((tick) => [`${tick}_volume`, plan.value(`${tick}_amount`)])),
    uptick_downtick_volume_ratio: plan.ratio('uptick_amount', 'downtick_amount'),
    uptick_downtick_count_ratio: plan.ratio('uptick_trades', 'downtick_trades'),
    ...Object.fromEntries(
      tickNames.map((tick) => [`${tick}_count_percentage`, plan.ratio(`${tick}_trades`, 'compared_trades')]),
    ),
    ...Object.fromEntries(
      tickNames.map((tick) => [`${tick}_volume_percentage`, plan.ratio(`${tick}_amount`, 'compared_amount')]),
    ),
  },
}

export const updownticks: DatasetComputation = {
  dataset: 'updownticks',
  reads: { trades: ['price', 'amount'] },
  plan: updownticksPlan,
  create: () => {
    const amounts = new Float64Array(3)
    return ({ trades }, row) => {
      const { price, amount } = trades.events
      amounts.fill(0)
      let upCount = 0
      let downCount = 0
      let before = price[0]
      for (let i = 1; i < trades.count; i++) {
        const tradePrice = price[i]
        const isUp = Number(tradePrice > before)
        const isDown = Number(tradePrice < before)
        upCount = (upCount + isUp) | 0
        downCount = (downCount + isDown) | 0
        amounts[2 - 2 * isUp - isDown] += amount[i]
        before = tradePrice
      }
      const count = trades.count - 1
      const counts = [upCount, downCount, count - upCount - downCount]
      const volume = amounts[0] + amounts[1] + amounts[2]
      for (let tick = 0; tick < 3; tick++) {
        row[tick] = counts[tick]
        row[3 + tick] = amounts[tick]
        row[8 + tick] = quotient(counts[tick], count)
        row[11 + tick] = quotient(amounts[tick], volume)
      }
      row[6] = quotient(amounts[0], amounts[1])
      row[7] = quotient(counts[0], counts[1])
    }
  },
}
