import type { Aggregate } from '../../metrics/plan.ts'
import { type EngineDialect, type RenderersOf, renderNode } from './dialect.ts'
import { renderNumber, type ValueRenderer, valueRenderer } from './values.ts'

interface AggregateRenderer extends ValueRenderer {
  /** Window clause with a leading space; empty in a GROUP BY. */
  over: string
}

type AggregateRenderers = RenderersOf<Aggregate, AggregateRenderer>

const fraction = (numerator: number, denominator: number) => renderNumber(numerator / denominator)

/**
 * Variance, skewness G1 and kurtosis G2 are computed from power sums of distances from the mean, because the engines'
 * built-in functions are biased or lose digits.
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

const power = (column: string, exponent: number) => Array.from({ length: exponent }, () => column).join(' * ')

/**
 * Writes the aggregates that are made of power sums.
 * @param countOf writes the SQL for the number of rows with a value, as a double
 */
const moments = (
  countOf: (column: string, over: string) => string,
): Pick<AggregateRenderers, 'variance' | 'skewness' | 'kurtosis'> => {
  const sums = (column: string, over: string) => ({
    n: countOf(column, over),
    powerSum: (exponent: number) => `sum(${power(column, exponent)})${over}`,
  })
  return {
    variance({ operand }, { value, over }) {
      const m = sums(value(operand), over)
      return variance(m.n, m.powerSum(2))
    },
    skewness({ operand }, { value, over }) {
      const m = sums(value(operand), over)
      return skewness(m.n, m.powerSum(2), m.powerSum(3))
    },
    kurtosis({ operand }, { value, over }) {
      const m = sums(value(operand), over)
      return kurtosis(m.n, m.powerSum(2), m.powerSum(4))
    },
  }
}

const duckdb: AggregateRenderers = {
  count: ({ when }, { condition, over }) =>
    when ? `CAST(count(CASE WHEN ${condition(when)} THEN 1 END)${over} AS DOUBLE)` : `CAST(count(*)${over} AS DOUBLE)`,
  total: ({ operand }, { value, over }) => `coalesce(sum(${value(operand)})${over}, 0e0)`,
  mean: ({ operand }, { value, over }) => `avg(${value(operand)})${over}`,
  least: ({ operand }, { value, over }) => `min(${value(operand)})${over}`,
  greatest: ({ operand }, { value, over }) => `max(${value(operand)})${over}`,
  // arg_min and arg_max skip rows whose value is null; the variants used here do not.
  first: ({ operand }, { value, over }) => `arg_min_null(${value(operand)}, nth)${over}`,
  last: ({ operand }, { value, over }) => `arg_max_null(${value(operand)}, nth)${over}`,
  // quantile_cont rounds even between equal order statistics, and a comparison with the result would then exclude them.
  quantile({ operand, numerator, denominator }, { value, over }) {
    const [between, statistic] = ['quantile_cont', 'quantile_disc'].map(
      (name) => `${name}(${value(operand)}, ${fraction(numerator, denominator)})${over}`,
    )
    // A statistic of 0 has no ratio and needs none: quantile_cont is exact there.
    return `CASE WHEN ${between} / ${statistic} BETWEEN 1 - 1e-15 AND 1 + 1e-15 THEN ${statistic} ELSE ${between} END`
  },
  ...moments((column, over) => `CAST(count(${column})${over} AS DOUBLE)`),
}

const clickhouse: AggregateRenderers = {
  count: ({ when }, { condition, over }) =>
    when ? `toFloat64(count(CASE WHEN ${condition(when)} THEN 1 END)${over})` : `toFloat64(count()${over})`,
  total: ({ operand }, { value, over }) => `coalesce(sum(${value(operand)})${over}, 0e0)`,
  // Without OrNull, avg, min and max of no rows are NaN or 0.
  mean: ({ operand }, { value, over }) => `avgOrNull(${value(operand)})${over}`,
  least: ({ operand }, { value, over }) => `minOrNull(${value(operand)})${over}`,
  greatest: ({ operand }, { value, over }) => `maxOrNull(${value(operand)})${over}`,
  // The tuple keeps a NULL, which argMin and argMax would skip.
  first: ({ operand }, { value, over }) => `(argMin(tuple(${value(operand)}), nth)${over}).1`,
  last: ({ operand }, { value, over }) => `(argMax(tuple(${value(operand)}), nth)${over}).1`,
  // quantileExact returns an order statistic and median an estimate; the Inclusive variant interpolates linearly.
  quantile: ({ operand, numerator, denominator }, { value, over }) =>
    `quantileExactInclusiveOrNull(${fraction(numerator, denominator)})(${value(operand)})${over}`,
  ...moments((column, over) => `toFloat64(count(${column})${over})`),
}

const spark: AggregateRenderers = {
  count: ({ when }, { condition, over }) =>
    when ? `CAST(count(CASE WHEN ${condition(when)} THEN 1 END)${over} AS DOUBLE)` : `CAST(count(*)${over} AS DOUBLE)`,
  total: ({ operand }, { value, over }) => `coalesce(sum(${value(operand)})${over}, 0e0)`,
  mean: ({ operand }, { value, over }) => `avg(${value(operand)})${over}`,
  least: ({ operand }, { value, over }) => `min(${value(operand)})${over}`,
  greatest: ({ operand }, { value, over }) => `max(${value(operand)})${over}`,
  // min_by and max_by take the last of several equal values, but `nth` is unique.
  first: ({ operand }, { value, over }) => `min_by(${value(operand)}, nth)${over}`,
  last: ({ operand }, { value, over }) => `max_by(${value(operand)}, nth)${over}`,
  quantile: ({ operand, numerator, denominator }, { value, over }) =>
    `percentile(${value(operand)}, ${fraction(numerator, denominator)})${over}`,
  ...moments((column, over) => `CAST(count(${column})${over} AS DOUBLE)`),
}

const aggregates: Record<EngineDialect, AggregateRenderers> = { duckdb, clickhouse, spark }

/** Writes the SQL of an aggregate over a group, or over a window if a window clause is given. */
export const renderAggregate = (dialect: EngineDialect, node: Aggregate, over = ''): string =>
  renderNode(aggregates[dialect], node, { ...valueRenderer(dialect), over: over && ` ${over}` })
