/** Rules of the formula language besides its operators and functions. */
export const languageRules: readonly { title: string; description: string }[] = [
  {
    title: 'Series',
    description:
      'A series is named as the legend names it: a, b, or in double quotes "funding rate". Numbers use a decimal point: 0.5, 1e-3.',
  },
  {
    title: 'Missing values',
    description:
      'A result computed from a missing value is missing. A division by 0, the logarithm of a number that is not above 0 and a number that overflows are missing too. An interval without a row counts as a row without a value, so a gap stays a gap.',
  },
  {
    title: 'Windows',
    description:
      "A window of n rows ends at the row itself. It has a value if all n rows have one, or at least as many rows as its last argument says. n is a number of rows, up to 1 000 000, or a duration in single quotes, such as '1d': as many rows as begin within it.",
  },
  {
    title: 'Across symbols',
    description:
      'cs_rank, cs_zscore, cs_demean, cs_winsor and cs_neutral compare symbols at the same row. In a study of the Lab they compare all its symbols: cs_rank(x). Elsewhere each symbol is a series of its own: cs_rank(a, b, c) is the rank of a among a, b and c, cs_winsor(a, 0.05, b, c) is a within the quantiles of the three, and cs_neutral(a, x, b, y, c, z) is the residual of a in a regression of a, b, c on x, y, z. Symbols without a value in a row do not count in it.',
  },
  {
    title: 'Different intervals',
    description:
      'The result has the rows of the shortest interval. A row is known at its end: its time plus its interval. From a longer interval the result uses the last row that has ended by then, never the one still running; if that row has no value, the result has none.',
  },
  {
    title: 'Longer intervals',
    description:
      'resample aggregates rows by the rule of their column, from the values that are present, and is refused where a column has no rule, such as a median. If a rule is approximate, “approximation” and its measured error appear beside the numbers. An interval that the rows do not cover from start to end has no row.',
  },
]
