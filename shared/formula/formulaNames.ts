/** Names of the formula language, in a file without its computations, which a window does not load at its start. */

/** Functions by purpose, as help and the guide list them. */
export const functionsByPurpose: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Earlier rows and changes', ['lag', 'diff', 'pct', 'logret', 'cumsum', 'index100', 'percentfromstart', 'ffill']],
  [
    'Windows',
    [
      ...['sum', 'sma', 'ema', 'std', 'ewmstd', 'zscore', 'rank', 'rollmin', 'rollmax', 'median', 'mad', 'quantile'],
      ...['skew', 'kurt'],
    ],
  ],
  ['Two series', ['rollcorr', 'rollbeta', 'resid', 'spread', 'ratio', 'bps']],
  ['Values and conditions', ['abs', 'sign', 'log', 'exp', 'sqrt', 'min', 'max', 'clip', 'if', 'where']],
  ['Intervals and units', ['resample', 'inquote']],
  ['Funding', ['settled', 'annual', 'fundinghours']],
  ['Events of your own', ['events', 'since']],
  ['Across symbols', ['cs_rank', 'cs_zscore', 'cs_demean', 'cs_winsor', 'cs_neutral']],
]

export const functionNames: readonly string[] = functionsByPurpose.flatMap(([, names]) => names)

/** Resampling methods that need no other column. */
export const resampleMethods = ['sum', 'mean', 'first', 'last', 'min', 'max'] as const

export type ResampleMethod = (typeof resampleMethods)[number]
