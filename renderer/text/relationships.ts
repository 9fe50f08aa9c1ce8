import type { RelationshipChange } from '#shared/contract/areas/series.ts'
import { intervalName } from '#shared/time.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

const count = (value: number) => formatNumber(value, 0)

export const relationshipsText = {
  title: 'Relationships',
  y: 'y',
  x: 'x',
  swap: 'Swap y and x',
  compareLabel: 'Compare',
  compare: { values: 'values', changes: 'changes', logReturns: 'log returns' } satisfies Record<
    RelationshipChange,
    string
  >,
  window: 'Window',
  lags: 'Lags',
  rows: 'rows',
  reading: 'Reading all rows in the visible range …',
  intro:
    'Shows how the series of the chart go together over the visible range: regression, correlations, lags and both over time. Add a second series to the chart to begin.',
  at: (intervalMs: number) => `Rows of ${intervalName(intervalMs)}`,
  resampled: (name: string, rule: string) => `${name} resampled: ${rule}`,
  problem: (name: string, message: string) => `${name}: ${message}`,
  unread: (name: string, message: string) => `Not read of ${name}: ${message}`,
  noLine: 'No line: there are fewer than 3 pairs in the visible range, or x does not vary.',
  addToChart: 'Add to chart',
  addLabel: (title: string) => `Add to chart: ${title}`,
  added: (title: string) => `Added to the chart: ${title}`,
  stats: {
    slope: {
      name: 'Slope',
      formula: 'Least-squares line of y on x with intercept, over the rows where both have a value',
    },
    t: {
      name: 't',
      formula: 'Slope by its standard error. It assumes residuals that are independent of one another.',
    },
    robustT: (lags: number) => ({
      name: 't (Newey–West)',
      formula: `Slope by the standard error of Newey and West, which allows residuals to go together over ${plural(lags, 'row')}`,
    }),
    r2: { name: 'R²', formula: 'Share of the variance of y that the line explains' },
    correlation: { name: 'Correlation', formula: 'Pearson correlation of the pairs' },
    deviation: { name: 'Residual std', formula: 'Standard deviation of the residuals: their squares divided by n − 2' },
    intercept: { name: 'Intercept', formula: 'Value of the line at x = 0' },
    n: { name: 'Pairs', formula: 'Number of rows where both have a value' },
  },
  scatter: {
    title: (y: string, x: string) => `${y} against ${x}`,
    definition: 'A square for each pair of values of the same row, and the least-squares line of all pairs.',
    pairs: 'Pairs',
    line: 'Line',
    note: (shown: number, every: number) =>
      every === 1
        ? plural(shown, 'pair')
        : `${plural(shown, 'pair')} shown, every ${count(every)}th; the line is of all`,
  },
  matrix: {
    title: 'Correlation matrix',
    definition:
      'Pearson correlation of each pair of series over the rows where both have a value. Choose a cell to see its pair.',
    cell: (a: string, b: string, r: string | null, n: number) =>
      `${a} and ${b}: ${r ?? 'not defined'}, ${plural(n, 'pair')}`,
  },
  lag: {
    title: (y: string, x: string) => `${x} against later ${y}`,
    definition: (interval: string) =>
      `Correlation of x with y so many rows of ${interval} later. A bar right of 0 means that x goes before y. Values that trend or persist correlate at many lags; compare changes to avoid that.`,
    axis: 'Rows by which y is later',
    label: 'Correlation',
    noise: '±2/√n',
  },
  rolling: {
    title: (rows: number) => `Rolling correlation, ${plural(rows, 'row')}`,
    definition: 'Correlation of the rows of the window that ends at each row, by rollcorr of the formula language.',
    label: 'Correlation',
  },
  residual: {
    title: 'Residual',
    definition: 'y less the line over the whole visible range, in time. It knows the end of the range at its start.',
    label: 'Residual',
  },
  rollingResidual: {
    title: (rows: number) => `Rolling residual, ${plural(rows, 'row')}`,
    definition:
      'Residual of each row from the line over the rows of the window that ends there, by resid of the formula language. It looks back only.',
    label: 'Residual',
  },
  lab: 'Relationship in the workbench',
} as const
