import { metricDataset } from '../catalog/metricDatasets.ts'
import type { RawDatasetId } from '../catalog/rawDatasets.ts'
import { metricPlans } from '../metrics/datasetComputations.ts'
import type { Aggregate, PlanPart, PlannedDatasetId, Step, MetricPlan } from '../metrics/plan.ts'
import { renderAggregate } from './dialects/aggregates.ts'
import { lastOfTime, relations } from './dialects/relations.ts'
import { type EventPlace, renderSource } from './dialects/sources.ts'
import type { EngineDialect } from './dialects/dialect.ts'
import { finiteValue, valueRenderer } from './dialects/values.ts'
import { eventNumber, isWindowed, renderWindow } from './dialects/windows.ts'

interface MetricQuery {
  dataset: PlannedDatasetId
  intervalSeconds: number
  timestamp: 'exchange' | 'true'
  /** Start of the range at midnight UTC, in microseconds since the epoch. */
  startUs: number
  /** Exclusive end of the range: midnight UTC, in microseconds since the epoch. */
  endUs: number
  places: Partial<Record<RawDatasetId, EventPlace>>
  /** Presence of driving events before and after this part of a longer range; none by default. */
  continuation?: { before: boolean; after: boolean } | undefined
}

/** A named subquery (CTE) with its comment. */
interface Relation {
  name: string
  why: string
  sql: string
}

/** Lists the event sources that a dataset reads. */
export const sourcesRead = (dataset: PlannedDatasetId): RawDatasetId[] => [
  ...new Set(metricPlans[dataset].parts.flatMap(({ source, asOf }) => [source, ...asOf.map((join) => join.source)])),
]

/** Writes the SELECT of one dataset: `time` in milliseconds and the columns of the catalog, ordered by time. */
export function metricQuery(dialect: EngineDialect, query: MetricQuery, plan = metricPlans[query.dataset]): string {
  const printer = new QueryPrinter(dialect, query)
  return printer.print(plan)
}

class QueryPrinter {
  private readonly dialect: EngineDialect
  private readonly query: MetricQuery
  private readonly relations: Relation[] = []

  constructor(dialect: EngineDialect, query: MetricQuery) {
    this.dialect = dialect
    this.query = query
  }

  print(plan: MetricPlan): string {
    const aggregatedRelations = plan.parts.map((part) => this.addPart(part))
    let relation = this.addFilled(plan, aggregatedRelations)
    for (const [i, step] of plan.afterFill.entries()) relation = this.addStep(`filled_${i + 1}`, relation, step)
    const ctes = this.relations.map(({ name, why, sql }) => `-- ${why}.\n${name} AS (\n  ${sql}\n)`)
    return `WITH\n${ctes.join(',\n')}\n${this.selectStatement(plan, relation)}`
  }

  private add(name: string, why: string, sql: string): string {
    this.relations.push({ name, why, sql })
    return name
  }

  private addPart(part: PlanPart): string {
    const { name } = part
    const { startUs, endUs, intervalSeconds } = this.query
    const intervalUs = intervalSeconds * 1e6
    let relation = this.add(
      `${name}_events`,
      `Events of ${part.source} in the range, each with the start of its interval`,
      `SELECT *, time_us - time_us % ${intervalUs} AS interval_us FROM (${this.source(part.source, part.reads)}) AS source_events ` +
        `WHERE time_us >= ${startUs} AND time_us < ${endUs}`,
    )
    relation = this.add(
      `${name}_numbered`,
      'Number of each event in its interval; events at equal times keep the order of files and rows',
      `SELECT *, ${eventNumber} AS nth FROM ${relation}`,
    )
    for (const join of part.asOf) {
      const fields = Object.values(join.columns)
      const events = this.add(
        `${name}_${join.source}_events`,
        `All ${join.source} up to the end of the range`,
        `SELECT * FROM (${this.source(join.source, fields)}) AS source_events WHERE time_us < ${endUs}`,
      )
      const right = this.add(`${name}_${join.source}`, 'Last event of each time', lastOfTime(events))
      relation = this.add(
        `${name}_as_of_${join.source}`,
        `Each event with the latest ${join.source} at or before it`,
        relations[this.dialect].asOf({ left: relation, right, columns: join.columns }),
      )
    }
    for (const [i, step] of part.steps.entries()) relation = this.addStep(`${name}_${i + 1}`, relation, step)
    return this.add(
      `${name}_by_interval`,
      'One row per interval',
      `SELECT ${['interval_us', ...this.aggregates(part.values)].join(', ')} FROM ${relation} GROUP BY interval_us`,
    )
  }

  private source(source: RawDatasetId, fields: readonly string[]): string {
    const place = this.query.places[source]
    if (!place) throw new RangeError(`no place for ${source}`)
    const timeColumn = this.query.timestamp === 'true' ? 'local_timestamp' : 'exchange_timestamp'
    return renderSource(this.dialect, { source, timeColumn, fields, place })
  }

  private addStep(name: string, rows: string, step: Step): string {
    if (step.step === 'keep') {
      const condition = valueRenderer(this.dialect).condition(step.when)
      return this.add(name, step.why, `SELECT * FROM ${rows} WHERE ${condition}`)
    }
    if (step.step === 'group') {
      const columns = ['interval_us', step.by, ...this.aggregates(step.values)]
      return this.add(name, step.why, `SELECT ${columns.join(', ')} FROM ${rows} GROUP BY interval_us, ${step.by}`)
    }
    const defined = Object.entries(step.values).map(([column, node]) => {
      const text = isWindowed(node) ? renderWindow(this.dialect, node) : valueRenderer(this.dialect).value(node)
      return `${text} AS ${column}`
    })
    return this.add(name, step.why, `SELECT *, ${defined.join(', ')} FROM ${rows}`)
  }

  private aggregates(values: Record<string, Aggregate>): string[] {
    return Object.entries(values).map(([name, node]) => `${renderAggregate(this.dialect, node)} AS ${name}`)
  }

  private addFilled({ parts }: MetricPlan, aggregatedRelations: string[]): string {
    const { intervalSeconds, startUs, endUs, continuation } = this.query
    const intervalUs = intervalSeconds * 1e6
    const dialectRelations = relations[this.dialect]
    const [mainRelation] = aggregatedRelations
    const grid = this.add(
      'intervals',
      continuation?.before || continuation?.after
        ? 'Every interval, also those without driving events that lie between events of the whole range'
        : 'Every interval from the first to the last one with driving events',
      dialectRelations.intervals(mainRelation, intervalUs, {
        firstUs: continuation?.before ? startUs : null,
        lastUs: continuation?.after ? endUs - intervalUs : null,
      }),
    )
    const columns = parts.flatMap((part, i) => Object.keys(part.values).map((name) => `p${i}.${name} AS ${name}`))
    const joins = aggregatedRelations.map(
      (name, i) => `LEFT JOIN ${name} AS p${i} ON p${i}.interval_us = g.interval_us`,
    )
    return this.add(
      'filled',
      'Intervals without events have null aggregates',
      `SELECT g.interval_us AS interval_us, ${intervalSeconds}e0 AS interval_seconds, ${columns.join(', ')} FROM ${grid} AS g ${joins.join(' ')}`,
    )
  }

  private selectStatement(plan: MetricPlan, rows: string): string {
    const renderer = valueRenderer(this.dialect)
    const columns = metricDataset(this.query.dataset).columns.map(({ name, zeroWhenEmpty }) => {
      const node = plan.columns[name]
      const filled = zeroWhenEmpty ? renderer.value({ op: 'orZero', operand: node }) : renderer.value(node)
      return `  ${finiteValue[this.dialect](filled)} AS ${name}`
    })
    return [
      'SELECT',
      [`  ${relations[this.dialect].timeMs} AS time`, ...columns].join(',\n'),
      `FROM ${rows}`,
      'ORDER BY time',
    ].join('\n')
  }
}
