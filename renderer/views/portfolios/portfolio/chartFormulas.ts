import { rollingFigures } from '#shared/portfolio/rolling.ts'

/** Definitions of the lines of the returns chart, in its order. */
export const chartFormulas: readonly { name: string; formula: string }[] = [
  { name: 'Equity', formula: 'Product of (1 + r) of all days so far, 1 before the first day in view' },
  {
    name: 'Underwater',
    formula: 'Equity over its highest value so far in view (the starting 1 counts), minus 1',
  },
  ...rollingFigures,
]
