import type { PlanCondition, Value } from '../../metrics/plan.ts'
import { type EngineDialect, type RenderersOf, renderNode } from './dialect.ts'

export interface ValueRenderer {
  value(node: Value): string
  condition(node: PlanCondition): string
}

type ValueRenderers = RenderersOf<Value, ValueRenderer>

/** Writes a number as a double, with an exponent because DuckDB and Spark read a number without one as a decimal. */
export const renderNumber = (number: number): string => {
  const text = String(number)
  return text.includes('e') ? text : `${text}e0`
}

/**
 * Writes the log return as a power series, 2·artanh((price − before)/(price + before)), which keeps every digit for
 * small returns.
 */
const logReturnSeries = (before: string, price: string) => {
  const s = `((${price} - ${before}) / (${price} + ${before}))`
  return `2e0 * ${s} * (1e0 + ${s} * ${s} * (1e0 / 3e0 + ${s} * ${s} * (1e0 / 5e0 + ${s} * ${s} / 7e0)))`
}

/** Tests in SQL whether a return is within about ±0.002; a plain logarithm is accurate enough for others. */
const isSmallReturn = (before: string, price: string) => `abs(${price} - ${before}) < 1e-3 * (${price} + ${before})`

const infix = ({ left, right }: { left: Value; right: Value }, sign: string, value: ValueRenderer['value']) =>
  `${value(left)} ${sign} ${value(right)}`

/** SQL that all three dialects understand. */
const standardSql: ValueRenderers = {
  column: ({ name }) => name,
  number: ({ value }) => renderNumber(value),
  add: (node, { value }) => `(${infix(node, '+', value)})`,
  subtract: (node, { value }) => `(${infix(node, '-', value)})`,
  multiply: (node, { value }) => `(${infix(node, '*', value)})`,
  ratio: ({ left, right }, { value }) => `(${value(left)} / nullif(${value(right)}, 0e0))`,
  abs: ({ operand }, { value }) => `abs(${value(operand)})`,
  sqrt: ({ operand }, { value }) => `sqrt(${value(operand)})`,
  ln: ({ operand }, { value }) => `ln(${value(operand)})`,
  logReturn({ left, right }, { value }) {
    const [before, price] = [value(left), value(right)]
    return `CASE WHEN ${isSmallReturn(before, price)} THEN ${logReturnSeries(before, price)} ELSE ln(${price} / ${before}) END`
  },
  orZero: ({ operand }, { value }) => `coalesce(${value(operand)}, 0e0)`,
  nullIfZero: ({ operand }, { value }) => `nullif(${value(operand)}, 0e0)`,
  choose: ({ when, then, otherwise }, { value, condition }) =>
    `CASE WHEN ${condition(when)} THEN ${value(then)}${otherwise ? ` ELSE ${value(otherwise)}` : ''} END`,
}

const values: Record<EngineDialect, ValueRenderers> = {
  duckdb: standardSql,
  // All ClickHouse columns are made Nullable at the source, because CASE and nullif over other columns give 0 instead
  // of NULL.
  // ClickHouse documents `log`; `ln` is only its alias.
  clickhouse: { ...standardSql, ln: ({ operand }, { value }) => `log(${value(operand)})` },
  // ANSI mode raises an error on division by 0, which nullif prevents.
  spark: standardSql,
}

const conditions: RenderersOf<PlanCondition, ValueRenderer> = {
  equal: (node, { value }) => infix(node, '=', value),
  differs: (node, { value }) => infix(node, '<>', value),
  above: (node, { value }) => infix(node, '>', value),
  atLeast: (node, { value }) => infix(node, '>=', value),
  present: ({ operand }, { value }) => `${value(operand)} IS NOT NULL`,
  all: ({ conditions: all }, { condition }) => `(${all.map(condition).join(' AND ')})`,
  any: ({ conditions: any }, { condition }) => `(${any.map(condition).join(' OR ')})`,
}

/** Writes the SQL of numbers and conditions of one row. */
export function valueRenderer(dialect: EngineDialect): ValueRenderer {
  const renderer: ValueRenderer = {
    value: (node) => renderNode(values[dialect], node, renderer),
    condition: (node) => renderNode(conditions, node, renderer),
  }
  return renderer
}

/** Replaces NaN and infinities in the result by null, because the service's files contain neither. */
export const finiteValue: Record<EngineDialect, (text: string) => string> = {
  duckdb: (text) => `CASE WHEN isfinite(CAST(${text} AS DOUBLE)) THEN CAST(${text} AS DOUBLE) END`,
  clickhouse: (text) => `if(isFinite(${text}), toNullable(toFloat64(${text})), NULL)`,
  spark: (text) => `CASE WHEN abs(CAST(${text} AS DOUBLE)) <= 1.7976931348623157e308 THEN CAST(${text} AS DOUBLE) END`,
}
