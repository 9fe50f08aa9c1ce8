import { sideCodes } from '../events.ts'
import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'
import * as plan from '../expressions.ts'
import type { MetricPlan, Step } from '../plan.ts'
import { tradesPart } from './tradeSteps.ts'

const { unknown, buy, sell } = sideCodes

const sidedSteps: Step[] = [
  plan.keep('Trades of unknown side belong to no run', plan.differs('sign', 0)),
  plan.define('Previous sided trade', { sign_before: plan.before('sign'), sided_price_before: plan.before('price') }),
  plan.define('A run starts at the first sided trade and at each flip', {
    starts_run: plan.choose(
      plan.any(plan.equal(plan.orZero('sign_before'), 0), plan.differs('sign', 'sign_before')),
      1,
      0,
    ),
    flip_change: plan.choose(
      plan.all(plan.present('sign_before'), plan.differs('sign', 'sign_before')),
      plan.abs(plan.ratio(plan.subtract('price', 'sided_price_before'), 'sided_price_before')),
    ),
  }),
]

const runsStep: Step = {
  step: 'group',
  why: 'One row per run',
  by: 'run',
  values: { run_sign: plan.last('sign'), run_length: plan.count(), run_flip_change: plan.mean('flip_change') },
}

const lengthOf = (sign: number) => plan.choose(plan.equal('run_sign', sign), 'run_length')

/** Returns the longest run of a side: 0 if only the other side has runs, null if neither has. */
const longestRun = (side: string) => plan.choose(plan.present('sided_trades'), plan.orZero(`${side}_longest`))
const meanLength = (side: string) => plan.choose(plan.present('sided_trades'), plan.orZero(`${side}_length_mean`))

const runStructurePlan: MetricPlan = {
  parts: [
    tradesPart({ reads: ['price'], steps: [], values: { trades: plan.count() } }),
    {
      name: 'runs',
      source: 'trades',
      reads: ['price', 'sign'],
      asOf: [],
      steps: [
        ...sidedSteps,
        plan.define('Runs are numbered by their starts', { run: plan.running('starts_run') }),
        runsStep,
      ],
      values: {
        sided_trades: plan.total('run_length'),
        runs: plan.count(),
        buy_longest: plan.greatest(lengthOf(1)),
        sell_longest: plan.greatest(lengthOf(-1)),
        buy_length_mean: plan.mean(lengthOf(1)),
        sell_length_mean: plan.mean(lengthOf(-1)),
        flip_change_mean: plan.mean('run_flip_change'),
      },
    },
  ],
  afterFill: [],
  columns: {
    buy_run_max_len: longestRun('buy'),
    sell_run_max_len: longestRun('sell'),
    buy_run_mean_len: meanLength('buy'),
    sell_run_mean_len: meanLength('sell'),
    run_imbalance: plan.ratio(
      plan.subtract(longestRun('buy'), longestRun('sell')),
      plan.add(longestRun('buy'), longestRun('sell')),
    ),
    flip_rate: plan.ratio(plan.subtract('runs', 1), 'sided_trades'),
    price_change_on_flip: plan.value('flip_change_mean'),
  },
}

export const runStructure: DatasetComputation = {
  dataset: 'run_structure',
  reads: { trades: ['price', 'side'] },
  plan: runStructurePlan,
  create: () => {
    const longest = new Int32Array(3)
    return ({ trades: { events, count } }, row) => {
      const { price, side } = events
      longest.fill(0)
      let first = 0
      while (first < count && side[first] === unknown) first++
      if (first === count) return
      let current: number = unknown
      let length = 0
      let lastPrice = price[first]
      let changeSum = 0
      let runCount = 0
      let knownCount = 0
      let buyCount = 0
      for (let i = first; i < count; i++) {
        const tradeSide = side[i]
        if (tradeSide === unknown) continue
        // `isNew` is a number rather than a branch, because sides alternate too irregularly for branch prediction.
        const isNew = Number(tradeSide !== current)
        length = (Math.imul(length, 1 - isNew) + 1) | 0
        runCount = (runCount + isNew) | 0
        knownCount = (knownCount + 1) | 0
        buyCount = (buyCount + Number(tradeSide === buy)) | 0
        if (length > longest[tradeSide]) longest[tradeSide] = length
        // The first trade starts a run but has no predecessor: comparing it with its own price adds 0.
        const tradePrice = price[i]
        changeSum += isNew * Math.abs((tradePrice - lastPrice) / lastPrice)
        current = tradeSide
        lastPrice = tradePrice
      }
      // Runs of buys and sells alternate, so the side that begins has half of the runs, rounded up.
      const buyRunCount = (runCount + Number(side[first] === buy)) >> 1
      const sellRunCount = runCount - buyRunCount
      row[0] = longest[buy]
      row[1] = longest[sell]
      row[2] = buyRunCount === 0 ? 0 : buyCount / buyRunCount
      row[3] = sellRunCount === 0 ? 0 : (knownCount - buyCount) / sellRunCount
      row[4] = (longest[buy] - longest[sell]) / (longest[buy] + longest[sell])
      row[5] = (runCount - 1) / knownCount
      row[6] = quotient(changeSum, runCount - 1)
    }
  },
}
