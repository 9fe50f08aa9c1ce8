import { metricDatasetIds } from '#shared/catalog/metricDatasets.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { noteUnlistedVenues } from '../venues.ts'
import { type ComparedColumn, engineNames } from '#shared/contract/areas/raw.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { hasMetricPlan } from '#shared/metrics/datasetComputations.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { formatPower } from '#shared/units/numbers.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { computeRequestOf } from '../computeRequest.ts'
import { Failure } from '../failure.ts'
import { rawPlace } from '../printedScript.ts'
import { clockOption } from '../seriesOptions.ts'
import { recordLines } from '../sheetLines.ts'
import { missingPair, refuseListAndSymbol, chosenPairs, listOption } from '../symbolLists.ts'
import { computeCommandText, reconcileCommandText as text } from '../text/commands.ts'
import { progressText, resultText, usageText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

/** Default number of symbol-days to compare. */
const DEFAULT_SYMBOL_DAYS = 20

const { options: computeOptionsText } = computeCommandText.run

const reconcile = soleAction({
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  options: {
    engines: {
      type: 'list',
      value: 'A,B[,C]',
      required: true,
      values: engineNames,
      description: text.run.options.engines,
    },
    sample: { type: 'integer', value: 'N', min: 1, max: 10_000, description: text.run.options.sample },
    dataset: {
      type: 'list',
      value: 'D[,D]',
      required: true,
      values: metricDatasetIds,
      description: text.run.options.dataset,
    },
    exchange: { type: 'text', value: 'V', fromConnection: true, description: computeOptionsText.exchange },
    symbol: { type: 'text', value: 'S[,S]', symbols: 'listed', description: computeOptionsText.symbol },
    list: listOption,
    interval: { type: 'text', value: 'I', required: true, description: computeOptionsText.interval },
    timestamp: clockOption(computeOptionsText.timestamp),
    start: { type: 'text', value: 'DATE', required: true, description: computeOptionsText.start },
    end: { type: 'text', value: 'DATE', required: true, description: computeOptionsText.end },
    raw: { type: 'path', value: 'DIR', description: text.run.options.raw },
  },
  missing: missingPair,
  async run({ client, connection, options, out, signal }) {
    const { interval, timestamp, start, end, raw } = options
    const engines = engineNames.filter((name) => options.engines.includes(name))
    if (engines.length < 2) throw new UsageError(usageText.twoEngines)
    refuseListAndSymbol(options)
    const { datasets } = computeRequestOf(options)
    const uncomputable = datasets.filter((id) => !hasMetricPlan(id))
    if (uncomputable.length > 0) throw new Failure(usageText.notComputable(uncomputable))
    if (raw === undefined && engines.includes('clickhouse')) throw new UsageError(usageText.comparisonNeedsRaw)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const pairs = await chosenPairs(core, connectionId, options, out)
    noteUnlistedVenues(
      out,
      await venuesOf(core, connectionId),
      pairs.map(({ exchange }) => exchange),
    )
    const request = {
      connectionId,
      engines,
      datasets,
      pairs: pairs.map(({ exchange, symbol }) => ({ exchange, symbol })),
      interval,
      timestamp,
      startDay: dayNumberOf(start),
      endDay: dayNumberOf(end) + 1,
      raw: raw === undefined ? null : rawPlace(raw),
      sample: options.sample ?? DEFAULT_SYMBOL_DAYS,
    }
    const onProgress = ({ done, total }: { done: number; total?: number | null }) =>
      out.progress({ done, total: total ?? 0, message: progressText.daysCompared })
    const comparison = await core.call('raw.reconcileEngines', request, { signal, onProgress })
    for (const note of comparison.notes) out.note(`${note}.`)
    out.result(comparison, () => [
      ...recordLines(columns, comparison.columns),
      ...comparison.columns.filter(({ agrees }) => !agrees).map((each) => resultText.differs(each)),
      resultText.compared(comparison),
    ])
    return comparison.columns.every(({ agrees }) => agrees) ? exit.done : exit.failed
  },
})

const columns: readonly ReadColumn<ComparedColumn>[] = [
  ...fieldColumns({ dataset: 'Dataset', column: 'Column', engine: 'Engine' }),
  column('largest', 'Largest difference', 'statistic', ({ largest }) => largest, {
    format: (largest) => (largest === 0 ? '0' : formatPower(Number(largest), 2)),
  }),
  column('agrees', 'Result', 'text', ({ agrees }) => (agrees ? 'agrees' : 'differs')),
]

export const command: CliCommand = {
  verb: 'reconcile',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope reconcile --engines local,duckdb --sample 5 --dataset flow,slippage --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-09-01 --end 2026-09-30',
    'perpscope reconcile --engines local,clickhouse --sample 20 --dataset flow --list majors --interval 1m --timestamp exchange --start 2026-01-01 --end 2026-09-30 --raw table:raw',
  ],
  actions: [reconcile],
}
