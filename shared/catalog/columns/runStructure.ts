import { approximate, column, max, type MetricColumn } from '../column.ts'

/** Declares a maximum of run lengths, with its largest error, in per cent, on days of uneven activity. */
const longestRun = (unevenOffByPercent: number) =>
  approximate(max, {
    reason: 'runs that cross the border between two shorter intervals are cut',
    offByPercent: 50,
    unevenOffByPercent,
  })

const nullRule = 'Null without a buy or sell trade in the interval'

export const runStructureColumns: MetricColumn[] = [
  column('buy_run_max_len', 'Longest buy run', 'length', 'trades', 'Length of the longest run of buy trades', {
    nullRule,
    resample: longestRun(58),
  }),
  column('sell_run_max_len', 'Longest sell run', 'length', 'trades', 'Length of the longest run of sell trades', {
    nullRule,
    resample: longestRun(56),
  }),
  column('buy_run_mean_len', 'Mean buy run', 'length', 'trades', 'Mean length of the runs of buy trades', { nullRule }),
  column('sell_run_mean_len', 'Mean sell run', 'length', 'trades', 'Mean length of the runs of sell trades', {
    nullRule,
  }),
  column(
    'run_imbalance',
    'Run imbalance',
    'ratio',
    'none',
    'Longest buy run minus longest sell run, over their sum; positive where buys dominate',
    { nullRule, large: 'far from 0' },
  ),
  column(
    'flip_rate',
    'Flip rate',
    'fraction',
    'none',
    'Number of sided trades whose side differs from that of the sided trade before, over the number of sided trades',
    { nullRule },
  ),
  column(
    'price_change_on_flip',
    'Price change at flips',
    'return',
    'return',
    'Mean absolute return from the sided trade before, over the trades at which the side flips',
    { nullRule: 'Null without a flip in the interval', large: 'high' },
  ),
]
