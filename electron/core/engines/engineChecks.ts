import type { EngineDatasetCheck, EngineName } from '#shared/contract/areas/raw.ts'
import { AppError } from '#shared/contract/errors.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { shortNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import type { EngineCheck } from '#core/store/engineStore.ts'

/** Sums up the compared columns by engine and dataset. */
export function datasetChecks(checks: readonly EngineCheck[]): EngineDatasetCheck[] {
  const byDataset = Map.groupBy(checks, ({ engine, dataset }) => `${engine} ${dataset}`)
  return [...byDataset.values()].map((columns) => {
    const [{ engine, dataset, version }] = columns
    const differingColumns = columns.filter(({ agrees }) => !agrees)
    return {
      engine,
      dataset,
      version,
      checkedAt: Math.max(...columns.map(({ checkedAtMs }) => checkedAtMs)),
      differing: differingColumns.map(({ column }) => column),
      refusal: differingColumns.length > 0 ? refusalOf(differingColumns) : null,
    }
  })
}

const engineTitles: Record<EngineName, string> = {
  local: 'The built-in engine',
  duckdb: 'DuckDB',
  clickhouse: 'ClickHouse',
  spark: 'Spark',
}

function refusalOf([first, ...others]: readonly EngineCheck[]): string {
  const { engine, dataset, column, largest, worst } = first
  const moreText = others.length > 0 ? ` and ${plural(others.length, 'more column')}` : ''
  const whereText = worst
    ? ` for ${worst.symbol} on ${worst.exchange} on ${dayFromNumber(worst.day)} (${worst.interval}, ${worst.timestamp} time)`
    : ''
  return (
    `${engineTitles[engine]} is not used for ${dataset}, because its column ${column}${moreText} differed by ${shortNumber(largest)}${whereText}. ` +
    `Compute ${dataset} with the built-in engine. ${engineTitles[engine]} is offered again once its values agree; “perpscope reconcile --engines local,${engine}” for that day checks this.`
  )
}

/** Refuses datasets with a column that is known to differ on an engine. */
export function refuseDifferingDatasets(checks: readonly EngineCheck[], datasets: readonly string[]): void {
  const refused = datasetChecks(checks).find(({ dataset, refusal }) => refusal !== null && datasets.includes(dataset))
  if (refused?.refusal) throw new AppError('unsupported', refused.refusal)
}
