import type { ComparedQuantity } from '#shared/contract/areas/series.ts'
import { intervalName } from '#shared/time.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)

const statistic = (name: string, formula: string) => ({ name, formula })

export const relationshipsText = {
  title: 'Relationships',
  y: 'y',
  x: 'x',
  swap: 'Swap y and x',
  compareLabel: 'Compare',
  compare: { values: 'values', changes: 'changes', logReturns: 'log returns' } satisfies Record<
    ComparedQuantity,
    string
  >,
  window: 'Window',
  lags: 'Lags',
  rows: 'rows',
  reading: 'Reading all rows in the visible range …',
  intro:
    'Shows how the series of the chart are related over the visible range: regression, correlation, correlation by lag, and rolling versions. Add a second series to the chart to begin.',
  rowInterval: (intervalMs: number) => `Rows of ${intervalName(intervalMs)}`,
  resampled: (name: string, rule: string) => `${name} resampled: ${rule}`,
  problem: (name: string, message: string) => `${name}: ${message}`,
  unread: (name: string, message: string) => `${name} could not be read completely: ${message}`,
  noLine: 'No line: there are fewer than 3 pairs in the visible range, or x does not vary.',
  addToChart: 'Add to chart',
  addLabel: (title: string) => `Add to chart: ${title}`,
  added: (title: string) => `Added to the chart: ${title}`,
  stats: {
    slope: statistic('Slope', 'Least-squares line of y on x with intercept, over the rows where both have a value'),
    t: statistic('t', 'Slope divided by its standard error. It assumes independent residuals.'),
    robustT: (lags: number) =>
      statistic(
        't (Newey–West)',
        `Slope divided by the Newey–West standard error, which allows residuals to be correlated over ${plural(lags, 'row')}`,
      ),
    r2: statistic('R²', 'Share of the variance of y that the line explains'),
    correlation: statistic('Correlation', 'Pearson correlation of the pairs'),
    deviation: statistic('Residual std', 'Standard deviation of the residuals: √(sum of their squares / (n − 2))'),
    intercept: statistic('Intercept', 'Value of the line at x = 0'),
    n: statistic('Pairs', 'Number of rows where both have a value'),
  },
  scatterTitle: (y: string, x: string) => `${y} against ${x}`,
  scatterNote: (shown: number, pairsPerMark: number) =>
    pairsPerMark === 1
      ? plural(shown, 'pair')
      : `${plural(shown, 'pair')} shown, one in ${formatCount(pairsPerMark)}; the line is fitted to all`,
  matrixCell: (a: string, b: string, r: string | null, n: number) =>
    `${a} and ${b}: ${r ?? 'not defined'}, ${plural(n, 'pair')}`,
  matrixTitle: 'Correlation matrix',
  lagTitle: (y: string, x: string) => `${x} against ${y}, by lag`,
  rollingTitle: (rows: number) => `Rolling correlation, ${plural(rows, 'row')}`,
  residualTitle: 'Residual',
  rollingResidualTitle: (rows: number) => `Rolling residual, ${plural(rows, 'row')}`,
  marks: { pairs: 'Pairs', line: 'Line', lagAxis: 'Rows by which y is later', noise: '±2/√n' },
  correlation: 'Correlation',
  residual: 'Residual',
  /** Definitions of what the cards show. */
  definitions: {
    scatter: 'A square for each pair of values in the same row, and the least-squares line through all pairs.',
    matrix:
      'Pearson correlation of each pair of series over the rows where both have a value. Choose a cell to see its pair.',
    lag: (interval: string) =>
      `Correlation of x with y at each lag, the number of rows (of ${interval}) by which y is later. A large bar to the right of 0 suggests that x leads y. Values that trend or persist correlate at many lags; compare changes to avoid that.`,
    rolling: 'Correlation over the window of rows that ends at each row, as rollcorr computes it in formulas.',
    residual:
      'y minus the line fitted over the whole visible range. Because the fit uses the whole range, early residuals look ahead.',
    rollingResidual:
      'Each row’s residual from the regression over the window that ends at that row, as resid computes it in formulas. It only looks back.',
  },
  lab: 'Show relationship in the workbench',
} as const
