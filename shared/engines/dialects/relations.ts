import type { EngineDialect } from './dialect.ts'

/** Relations and columns of an as-of join; both relations have `time_us`. */
interface AsOfJoin {
  left: string
  right: string
  /** Columns of the right side by the name of the new column. */
  columns: Record<string, string>
}

interface RelationSql {
  /** Joins each row of `left` with the latest row of `right` at or before it; `right` has unique times. */
  asOf(join: AsOfJoin): string
  /**
   * Lists all interval starts from the first to the last row of a relation, including gaps; none if it has no rows. A
   * given first or last interval replaces that of the rows.
   */
  intervals(relation: string, intervalUs: number, given: GivenBounds): string
  /** SQL for the start of an interval in milliseconds. */
  timeMs: string
}

/** Starts of the first and last interval, in microseconds; null where the rows of a relation decide. */
interface GivenBounds {
  firstUs: number | null
  lastUs: number | null
}

function bounds(relation: string, { firstUs, lastUs }: GivenBounds): string {
  if (firstUs !== null && lastUs !== null) return `SELECT ${firstUs} AS first_us, ${lastUs} AS last_us`
  const columns = [
    `${firstUs === null ? 'min(interval_us)' : firstUs} AS first_us`,
    `${lastUs === null ? 'max(interval_us)' : lastUs} AS last_us`,
  ]
  return `SELECT ${columns.join(', ')} FROM ${relation} HAVING count(*) > 0`
}

const joinedColumns = (columns: Record<string, string>) =>
  Object.entries(columns)
    .map(([name, field]) => `, r.${field} AS ${name}`)
    .join('')

const duckdb: RelationSql = {
  asOf: ({ left, right, columns }) =>
    `SELECT l.*${joinedColumns(columns)} FROM ${left} AS l ASOF LEFT JOIN ${right} AS r ON l.time_us >= r.time_us`,
  intervals: (relation, intervalUs, given) =>
    `SELECT unnest(range(first_us, last_us + 1, ${intervalUs})) AS interval_us FROM (${bounds(relation, given)}) AS bounds`,
  timeMs: 'CAST(interval_us // 1000 AS BIGINT)',
}

const clickhouse: RelationSql = {
  // ASOF JOIN needs an equality column besides the time, and gives 0 without a match unless join_use_nulls = 1.
  asOf: ({ left, right, columns }) =>
    `SELECT l.*${joinedColumns(columns)} FROM (SELECT *, 1 AS everywhere FROM ${left}) AS l ` +
    `ASOF LEFT JOIN (SELECT *, 1 AS everywhere FROM ${right}) AS r ON l.everywhere = r.everywhere AND l.time_us >= r.time_us`,
  intervals: (relation, intervalUs, given) =>
    `SELECT arrayJoin(range(assumeNotNull(toInt64(first_us)), assumeNotNull(toInt64(last_us)) + 1, ${intervalUs})) AS interval_us FROM (${bounds(relation, given)}) AS bounds`,
  timeMs: 'toInt64(intDiv(interval_us, 1000))',
}

const spark: RelationSql = {
  // Spark has no ASOF JOIN, so this takes the last non-null value over the ordered union of both sides, with the right
  // side first at equal times.
  asOf({ left, right, columns }) {
    const fields = Object.values(columns)
    const row = `named_struct(${fields.map((field) => `'${field}', ${field}`).join(', ')})`
    const type = `struct<${fields.map((field) => `${field}: double`).join(', ')}>`
    return (
      `SELECT e.*${Object.entries(columns)
        .map(([name, field]) => `, latest.${field} AS ${name}`)
        .join(
          '',
        )} FROM (SELECT e, last(r, true) OVER (ORDER BY time_us, is_left ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS latest, is_left ` +
      `FROM (SELECT time_us, 1 AS is_left, struct(l.*) AS e, CAST(NULL AS ${type}) AS r FROM ${left} AS l ` +
      `UNION ALL SELECT time_us, 0 AS is_left, NULL AS e, ${row} AS r FROM ${right}) AS both_sides) AS ordered WHERE is_left = 1`
    )
  },
  intervals: (relation, intervalUs, given) =>
    `SELECT explode(sequence(first_us, last_us, ${intervalUs}L)) AS interval_us FROM (${bounds(relation, given)}) AS bounds`,
  timeMs: 'CAST(interval_us div 1000 AS BIGINT)',
}

export const relations: Record<EngineDialect, RelationSql> = { duckdb, clickhouse, spark }

/** Keeps the last row of each time in event order, because an engine may join any of several rows with equal times. */
export const lastOfTime = (relation: string): string =>
  `SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY time_us ORDER BY file_ordinal DESC, row_ordinal DESC) AS from_last FROM ${relation}) AS ranked WHERE from_last = 1`
