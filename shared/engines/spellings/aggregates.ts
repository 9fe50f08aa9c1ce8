import type { Aggregate } from '../plan.ts'
import { type EngineDialect, type SpellingOf, spellNode } from './speller.ts'
import { spellNumber, valueSpeller } from './values.ts'

type ValueSpell = ReturnType<typeof valueSpeller>

interface AggregateSpell extends ValueSpell {
  /** Window clause with a leading space; empty in a GROUP BY. */
  over: string
}

type AggregateSpelling = SpellingOf<Aggregate, AggregateSpell>

const fraction = (numerator: number, denominator: number) => spellNumber(numerator / denominator)

/**
 * Variance, skewness G1 and kurtosis G2 are computed from power sums of distances, because the engines' built-in
 * functions are biased or lose digits.
 */
const variance = (n: string, m2: string) => `CASE WHEN ${n} >= 2 THEN ${m2} / (${n} - 1e0) END`

const skewness = (n: string, m2: string, m3: string) =>
  `CASE WHEN ${n} >= 3 AND ${m2} > 0e0 THEN ` +
  `${n} / ((${n} - 1e0) * (${n} - 2e0)) * ${m3} / (${m2} / (${n} - 1e0) * sqrt(${m2} / (${n} - 1e0))) END`

const kurtosis = (n: string, m2: string, m4: string) =>
  `CASE WHEN ${n} >= 4 AND ${m2} > 0e0 THEN ` +
  `${n} * (${n} + 1e0) / ((${n} - 1e0) * (${n} - 2e0) * (${n} - 3e0)) * ${m4} / ` +
  `(${m2} / (${n} - 1e0) * (${m2} / (${n} - 1e0))) - ` +
  `3e0 * (${n} - 1e0) * (${n} - 1e0) / ((${n} - 2e0) * (${n} - 3e0)) END`

const power = (of: string, exponent: number) => Array.from({ length: exponent }, () => of).join(' * ')

/** @param counted SQL for the number of rows with a value, as a double */
const moments = (
  counted: (of: string, over: string) => string,
): Pick<AggregateSpelling, 'variance' | 'skewness' | 'kurtosis'> => {
  const sums = (of: string, over: string) => ({
    n: counted(of, over),
    of: (exponent: number) => `sum(${power(of, exponent)})${over}`,
  })
  return {
    variance({ of }, { value, over }) {
      const m = sums(value(of), over)
      return variance(m.n, m.of(2))
    },
    skewness({ of }, { value, over }) {
      const m = sums(value(of), over)
      return skewness(m.n, m.of(2), m.of(3))
    },
    kurtosis({ of }, { value, over }) {
      const m = sums(value(of), over)
      return kurtosis(m.n, m.of(2), m.of(4))
    },
  }
}

const duckdb: AggregateSpelling = {
  count: ({ when }, { condition, over }) =>
    when ? `CAST(count(CASE WHEN ${condition(when)} THEN 1 END)${over} AS DOUBLE)` : `CAST(count(*)${over} AS DOUBLE)`,
  total: ({ of }, { value, over }) => `coalesce(sum(${value(of)})${over}, 0e0)`,
  mean: ({ of }, { value, over }) => `avg(${value(of)})${over}`,
  least: ({ of }, { value, over }) => `min(${value(of)})${over}`,
  greatest: ({ of }, { value, over }) => `max(${value(of)})${over}`,
  // arg_min and arg_max skip rows whose value is null; these two do not.
  first: ({ of }, { value, over }) => `arg_min_null(${value(of)}, nth)${over}`,
  last: ({ of }, { value, over }) => `arg_max_null(${value(of)}, nth)${over}`,
  quantile: ({ of, numerator, denominator }, { value, over }) =>
    `quantile_cont(${value(of)}, ${fraction(numerator, denominator)})${over}`,
  ...moments((of, over) => `CAST(count(${of})${over} AS DOUBLE)`),
}

const clickhouse: AggregateSpelling = {
  count: ({ when }, { condition, over }) =>
    when ? `toFloat64(count(CASE WHEN ${condition(when)} THEN 1 END)${over})` : `toFloat64(count()${over})`,
  total: ({ of }, { value, over }) => `coalesce(sum(${value(of)})${over}, 0e0)`,
  // Without OrNull, avg, min and max of no rows are NaN or 0.
  mean: ({ of }, { value, over }) => `avgOrNull(${value(of)})${over}`,
  least: ({ of }, { value, over }) => `minOrNull(${value(of)})${over}`,
  greatest: ({ of }, { value, over }) => `maxOrNull(${value(of)})${over}`,
  // The tuple keeps a NULL, which argMin and argMax would skip.
  first: ({ of }, { value, over }) => `(argMin(tuple(${value(of)}), nth)${over}).1`,
  last: ({ of }, { value, over }) => `(argMax(tuple(${value(of)}), nth)${over}).1`,
  // quantileExact returns an order statistic and median an estimate; the Inclusive variant interpolates linearly.
  quantile: ({ of, numerator, denominator }, { value, over }) =>
    `quantileExactInclusiveOrNull(${fraction(numerator, denominator)})(${value(of)})${over}`,
  ...moments((of, over) => `toFloat64(count(${of})${over})`),
}

const spark: AggregateSpelling = {
  count: ({ when }, { condition, over }) =>
    when ? `CAST(count(CASE WHEN ${condition(when)} THEN 1 END)${over} AS DOUBLE)` : `CAST(count(*)${over} AS DOUBLE)`,
  total: ({ of }, { value, over }) => `coalesce(sum(${value(of)})${over}, 0e0)`,
  mean: ({ of }, { value, over }) => `avg(${value(of)})${over}`,
  least: ({ of }, { value, over }) => `min(${value(of)})${over}`,
  greatest: ({ of }, { value, over }) => `max(${value(of)})${over}`,
  // min_by and max_by take the last of several equal values, but `nth` is unique.
  first: ({ of }, { value, over }) => `min_by(${value(of)}, nth)${over}`,
  last: ({ of }, { value, over }) => `max_by(${value(of)}, nth)${over}`,
  quantile: ({ of, numerator, denominator }, { value, over }) =>
    `percentile(${value(of)}, ${fraction(numerator, denominator)})${over}`,
  ...moments((of, over) => `CAST(count(${of})${over} AS DOUBLE)`),
}

const aggregates: Record<EngineDialect, AggregateSpelling> = { duckdb, clickhouse, spark }

/** Writes the SQL of an aggregate: of a group, or with a window clause of a window. */
export const spellAggregate = (dialect: EngineDialect, node: Aggregate, over = ''): string =>
  spellNode(aggregates[dialect], node, { ...valueSpeller(dialect), over: over && ` ${over}` })
