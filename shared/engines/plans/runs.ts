import {
  abs,
  add,
  any,
  before,
  choose,
  count,
  define,
  differs,
  equal,
  greatest,
  keep,
  last,
  mean,
  present,
  ratio,
  running,
  subtract,
  total,
  value,
  orZero,
  all,
} from '../expressions.ts'
import type { MetricPlan, Step } from '../plan.ts'
import { tradesPart } from './trades.ts'

const sidedSteps: Step[] = [
  keep('Trades of unknown side belong to no run', differs('sign', 0)),
  define('Previous sided trade', { sign_before: before('sign'), sided_price_before: before('price') }),
  define('A run starts at the first sided trade and at each flip', {
    starts_run: choose(any(equal(orZero('sign_before'), 0), differs('sign', 'sign_before')), 1, 0),
    flip_change: choose(
      all(present('sign_before'), differs('sign', 'sign_before')),
      abs(ratio(subtract('price', 'sided_price_before'), 'sided_price_before')),
    ),
  }),
]

const runsStep: Step = {
  step: 'group',
  why: 'One row per run',
  by: 'run',
  values: { run_sign: last('sign'), run_length: count(), run_flip_change: mean('flip_change') },
}

const lengthOf = (sign: number) => choose(equal('run_sign', sign), 'run_length')

/** Returns the longest run of a side: 0 if only the other side has runs, null if neither has. */
const longestRun = (side: string) => choose(present('sided_trades'), orZero(`${side}_longest`))
const meanLength = (side: string) => choose(present('sided_trades'), orZero(`${side}_length_mean`))

export const runStructurePlan: MetricPlan = {
  parts: [
    tradesPart({ reads: ['price'], steps: [], values: { trades: count() } }),
    {
      name: 'runs',
      source: 'trades',
      reads: ['price', 'sign'],
      asOf: [],
      steps: [...sidedSteps, define('Runs are numbered by their starts', { run: running('starts_run') }), runsStep],
      values: {
        sided_trades: total('run_length'),
        runs: count(),
        buy_longest: greatest(lengthOf(1)),
        sell_longest: greatest(lengthOf(-1)),
        buy_length_mean: mean(lengthOf(1)),
        sell_length_mean: mean(lengthOf(-1)),
        flip_change_mean: mean('run_flip_change'),
      },
    },
  ],
  afterFill: [],
  columns: {
    buy_run_max_len: longestRun('buy'),
    sell_run_max_len: longestRun('sell'),
    buy_run_mean_len: meanLength('buy'),
    sell_run_mean_len: meanLength('sell'),
    run_imbalance: ratio(subtract(longestRun('buy'), longestRun('sell')), add(longestRun('buy'), longestRun('sell'))),
    flip_rate: ratio(subtract('runs', 1), 'sided_trades'),
    price_change_on_flip: value('flip_change_mean'),
  },
}
