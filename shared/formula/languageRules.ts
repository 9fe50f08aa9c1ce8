/** Rules of the formula language beside its operators and functions. */
export const languageRules: readonly { title: string; description: string }[] = [
  {
    title: 'Series',
    description:
      'A series is named as the legend names it: a, b, or in double quotes "funding rate". Numbers have a point: 0.5, 1e-3.',
  },
  {
    title: 'Missing values',
    description:
      'Where a value is missing, so is what is made of it. A quotient by 0, a logarithm of a number not above 0 and whatever is too large are missing too. An interval that has no row counts as a row without a value, so a gap stays a gap.',
  },
  {
    title: 'Windows',
    description:
      "A window of n rows ends at the row itself. It has a value when all n are present, or as many as its last argument says. n is a number of rows, up to 1 000 000, or a duration in single quotes, such as '1d': as many rows as begin within it.",
  },
  {
    title: 'Across symbols',
    description:
      'cs_rank, cs_zscore, cs_demean, cs_winsor and cs_neutral compare symbols at the same row. In a study of the Lab they compare all its symbols: cs_rank(x). Here each symbol is a series of its own: cs_rank(a, b, c) is the rank of a among a, b and c, cs_winsor(a, 0.05, b, c) is a within the quantiles of the three, and cs_neutral(a, x, b, y, c, z) is what a regression of a, b, c on x, y, z leaves of a. Symbols without a value in a row do not count in it.',
  },
  {
    title: 'Different intervals',
    description:
      'The result has the rows of the shortest interval. A row is known at its end: its time plus its interval. Of a longer interval it sees the one that was the last to end by then, never the one still running; where that one has no value there is none.',
  },
  {
    title: 'Longer intervals',
    description:
      'resample puts rows together by the rule of their column, from the values that are present, and refuses where a column has none, such as a median. A rule that only comes near says “approximation” beside the numbers, with its measured bound. An interval that the rows do not cover from start to end has no row.',
  },
]
