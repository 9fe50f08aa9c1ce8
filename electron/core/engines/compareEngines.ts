import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { ComparedColumn, EngineComparison, EngineName } from '#shared/contract/areas/raw.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { largestDifference, toleranceOf } from '#shared/engines/agreement.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { agree, plural } from '#shared/units/plurals.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import { createGuardedComputePool } from '#core/compute/computePool.ts'
import type { Clock, StartProcess } from '#core/ports.ts'
import type { EngineCheck, EngineStore } from '#core/store/engineStore.ts'
import type { Store } from '#core/store/store.ts'
import {
  clickHouseEngine,
  columnNames,
  type ComparedEngine,
  type ComparedSelection,
  fileEngine,
  importedEngine,
  type SymbolDay,
} from './comparedEngines.ts'

export interface ComparisonRequest extends ComparedSelection {
  pairs: readonly { exchange: string; symbol: string }[]
  /** Number of symbol-days to compare. */
  sample: number
}

interface ComparisonDeps {
  checks: EngineStore['checks']
  /** Two or more engines; the one named `local`, or else the first, is the reference for all others. */
  engines: readonly ComparedEngine[]
  nowMs: number
}

interface WorkOptions {
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** Compares engines column by column on a sample of symbol-days, and records which columns agree. */
async function compareEngines(
  { checks, engines, nowMs }: ComparisonDeps,
  request: ComparisonRequest,
  { signal, onProgress }: WorkOptions,
): Promise<EngineComparison> {
  const reference = engines.find(({ name }) => name === 'local') ?? engines[0]
  const otherEngines = engines.filter((engine) => engine !== reference)
  const earlierDifferences = otherEngines.flatMap(({ name }) =>
    checks.list(request.connectionId, name).filter(({ agrees, worst }) => !agrees && worst),
  )
  const comparison = new Comparison(request, reference)
  const differedBefore = earlierDifferences.filter((check) => isSelected(check, request)).map(({ worst }) => worst!)
  const done = new Set<string>()
  const advance = async (symbolDay: SymbolDay) => {
    const key = `${symbolDay.exchange} ${symbolDay.symbol} ${symbolDay.day}`
    signal.throwIfAborted()
    if (done.has(key)) return
    done.add(key)
    const total = Math.max(request.sample, comparison.symbolDays + 1)
    onProgress({ done: comparison.symbolDays, total, message: `${symbolDay.symbol} ${dayFromNumber(symbolDay.day)}` })
    await comparison.add(symbolDay, otherEngines, signal)
  }
  for (const symbolDay of differedBefore) await advance(symbolDay)
  for (const symbolDay of spreadSymbolDays(request)) {
    if (comparison.symbolDays >= request.sample) break
    if (await areCovered(engines, symbolDay, signal)) await advance(symbolDay)
  }
  if (comparison.symbolDays === 0)
    throw nothingComparedError([...engines.flatMap(({ notes }) => notes), ...comparison.notes])
  const columns = comparison.columns()
  const remainingDifferences = earlierDifferences.filter(
    ({ engine, dataset, worst }) => !comparison.days.has(dayKey(engine, dataset, worst!)),
  )
  // A recorded difference is dropped only if the day that showed it now agrees.
  const hasOpenDifference = (check: EngineCheck) =>
    check.agrees && remainingDifferences.some((each) => isSameColumn(each, check))
  checks.save(
    request.connectionId,
    newChecks(comparison, otherEngines, request, nowMs).filter((check) => !hasOpenDifference(check)),
  )
  return {
    reference: reference.name,
    engines: engines.map(({ name, version }) => ({ engine: name, version })),
    symbolDays: comparison.symbolDays,
    columns,
    notes: [
      ...engines.flatMap(({ notes }) => notes),
      ...shortenNotes(comparison.notes),
      ...remainingDifferences
        .filter(({ dataset }) => request.datasets.some((id) => id === dataset))
        .map(differenceNote),
    ],
  }
}

const isSameColumn = (a: EngineCheck, b: EngineCheck) =>
  a.engine === b.engine && a.dataset === b.dataset && a.column === b.column

/** Builds the key of one symbol-day of a dataset on an engine. */
const dayKey = (engine: EngineName, dataset: string, comparedDay: ComparedDay): string => {
  const { exchange, symbol, day, interval, timestamp } = comparedDay
  return JSON.stringify([engine, dataset, exchange, symbol, day, interval, timestamp])
}

type ComparedDay = NonNullable<EngineCheck['worst']>

/** Tells whether an earlier difference is within the selection, so that it is compared again. */
function isSelected({ dataset, worst }: EngineCheck, request: ComparisonRequest): boolean {
  if (!worst || worst.interval !== request.interval || worst.timestamp !== request.timestamp) return false
  return (
    request.datasets.some((id) => id === dataset) &&
    request.startDay <= worst.day &&
    worst.day < request.endDay &&
    request.pairs.some(({ exchange, symbol }) => exchange === worst.exchange && symbol === worst.symbol)
  )
}

async function areCovered(
  engines: readonly ComparedEngine[],
  symbolDay: SymbolDay,
  signal: AbortSignal,
): Promise<boolean> {
  for (const engine of engines) if (!(await engine.covers(symbolDay, signal))) return false
  return true
}

const GOLDEN_RATIO = 0.6180339887498949

/**
 * Yields every symbol-day of a selection once, in such an order that the first few, however many, are evenly
 * distributed over symbols and days.
 */
export function* spreadSymbolDays({
  pairs,
  startDay,
  endDay,
}: Pick<ComparisonRequest, 'pairs' | 'startDay' | 'endDay'>) {
  const days = endDay - startDay
  const count = pairs.length * days
  let step = Math.max(1, Math.round(count * GOLDEN_RATIO))
  while (commonDivisor(step, count) !== 1) step++
  for (let i = 0, index = 0; i < count; i++, index = (index + step) % count) {
    const { exchange, symbol } = pairs[Math.floor(index / days)]
    yield { exchange, symbol, day: startDay + (index % days) }
  }
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

const MOST_NOTES = 10

function shortenNotes(notes: readonly string[]): string[] {
  const more = notes.length - MOST_NOTES
  return more > 0 ? [...notes.slice(0, MOST_NOTES), `${plural(more, 'more note')} of this kind`] : [...notes]
}

const nothingComparedError = (notes: readonly string[]) =>
  new AppError(
    'not-here',
    `No symbol-day of this selection has events on all engines${notes.length > 0 ? ` (${notes.slice(0, 3).join('; ')})` : ''}.`,
  )

const differenceNote = ({ engine, dataset, column, worst }: EngineCheck) =>
  `${engine}: ${dataset} ${column} was found to differ on ${worst!.symbol} (${worst!.exchange}) on ${dayFromNumber(worst!.day)} (${worst!.interval}, ${worst!.timestamp} time); this comparison leaves that day out`

/** Accumulates the results of the compared days. */
class Comparison {
  symbolDays = 0
  readonly notes: string[] = []
  /** Keys of the symbol-days compared so far, as made by `dayKey`. */
  readonly days = new Set<string>()
  readonly #request: ComparisonRequest
  readonly #reference: ComparedEngine
  readonly #tallies = new Map<string, ComparedColumn>()

  constructor(request: ComparisonRequest, reference: ComparedEngine) {
    this.#request = request
    this.#reference = reference
  }

  /** Compares one day of a symbol on all engines. */
  async add(symbolDay: SymbolDay, otherEngines: readonly ComparedEngine[], signal: AbortSignal): Promise<void> {
    const { datasets } = this.#request
    const expected = await this.#reference.rows(symbolDay, datasets, signal)
    const presentDatasets = datasets.filter((dataset) => expected.has(dataset))
    this.#noteMissing(this.#reference, symbolDay, datasets, expected)
    let isCompared = false
    for (const engine of otherEngines) {
      if (presentDatasets.length === 0) break
      const found = await engine.rows(symbolDay, presentDatasets, signal)
      this.#noteMissing(engine, symbolDay, presentDatasets, found)
      for (const dataset of presentDatasets.filter((id) => found.has(id))) {
        isCompared = true
        this.days.add(dayKey(engine.name, dataset, { ...symbolDay, ...this.#intervalAndTimestamp() }))
        this.#compare(engine.name, symbolDay, dataset, expected.get(dataset)!, found.get(dataset)!)
      }
    }
    if (isCompared) this.symbolDays++
  }

  #intervalAndTimestamp() {
    const { interval, timestamp } = this.#request
    return { interval, timestamp }
  }

  #noteMissing(
    { name }: ComparedEngine,
    symbolDay: SymbolDay,
    wanted: readonly string[],
    found: Map<string, MetricRows>,
  ) {
    const missing = wanted.filter((dataset) => !found.has(dataset))
    if (missing.length === 0) return
    const lackingText = name === 'spark' ? 'no imported file of' : 'no events for'
    const placeText = `${symbolDay.symbol} on ${symbolDay.exchange} on ${dayFromNumber(symbolDay.day)}`
    this.notes.push(
      `${name} has ${lackingText} ${missing.join(', ')} (${placeText}); ${agree(missing.length, 'it was', 'they were')} not compared`,
    )
  }

  #compare(
    engine: EngineName,
    symbolDay: SymbolDay,
    dataset: MetricDatasetId,
    expected: MetricRows,
    found: MetricRows,
  ) {
    const rows = joinByTime(expected, found)
    for (const [i, column] of columnNames(dataset).entries()) {
      const key = `${dataset} ${column} ${engine}`
      const before = this.#tallies.get(key) ?? emptyTally(dataset, column, engine)
      const [expectedValues, foundValues] = [rows.expected(i), rows.found(i)]
      const { largest, row: worstRow } = largestDifference(column, expectedValues, foundValues)
      const tally = { ...before, rows: before.rows + rows.timeMs.length }
      this.#tallies.set(key, tally)
      if (worstRow < 0 || largest <= before.largest) continue
      const { exchange, symbol } = symbolDay
      Object.assign(tally, {
        largest,
        agrees: largest <= toleranceOf(column),
        worst: {
          exchange,
          symbol,
          time: rows.timeMs[worstRow],
          expected: valueOrNull(expectedValues[worstRow]),
          found: valueOrNull(foundValues[worstRow]),
        },
      })
    }
  }

  /** Lists the columns in the order of the datasets. */
  columns(): ComparedColumn[] {
    const indexOf = (dataset: string) => this.#request.datasets.findIndex((id) => id === dataset)
    return [...this.#tallies.values()].toSorted((a, b) => indexOf(a.dataset) - indexOf(b.dataset))
  }
}

const emptyTally = (dataset: MetricDatasetId, column: string, engine: EngineName): ComparedColumn => ({
  dataset,
  column,
  engine,
  largest: 0,
  agrees: true,
  rows: 0,
  worst: null,
})

const valueOrNull = (value: number) => (Number.isFinite(value) ? value : null)

/** Joins the rows of both engines by time; where one engine has no row, its values are NaN. */
function joinByTime(expected: MetricRows, found: MetricRows) {
  const timeMs = Float64Array.from(new Set([...expected.timeMs, ...found.timeMs])).sort()
  const valuesByTime = ({ timeMs: ownTimeMs, columns }: MetricRows, column: number) => {
    const rowByTime = new Map(Array.from(ownTimeMs, (ms, row) => [ms, row]))
    return timeMs.map((ms) => columns[column][rowByTime.get(ms) ?? -1] ?? NaN)
  }
  return {
    timeMs,
    expected: (column: number) => valuesByTime(expected, column),
    found: (column: number) => valuesByTime(found, column),
  }
}

function newChecks(
  comparison: Comparison,
  engines: readonly ComparedEngine[],
  { interval, timestamp }: ComparisonRequest,
  checkedAtMs: number,
): EngineCheck[] {
  return comparison.columns().map(({ dataset, column, engine, largest, agrees, worst }) => ({
    engine,
    dataset,
    column,
    version: engines.find(({ name }) => name === engine)?.version ?? null,
    agrees,
    largest,
    worst:
      worst && !agrees
        ? {
            exchange: worst.exchange,
            symbol: worst.symbol,
            day: Math.floor(worst.time / 86_400_000),
            interval,
            timestamp,
          }
        : null,
    checkedAtMs,
  }))
}

export interface ReconcileDeps {
  store: Pick<Store, 'files' | 'folder' | 'engines'>
  clock: Clock
  startProcess?: StartProcess | undefined
  /** Connects to the ClickHouse server of the connection. */
  reachClickHouse(): Promise<{ engine: ClickHouse; cluster: string }>
}

/** Opens engines by name, compares them on a sample of symbol-days, and records which columns agree. */
export async function reconcileEngines(
  { store, clock, startProcess: start, reachClickHouse }: ReconcileDeps,
  names: readonly EngineName[],
  request: ComparisonRequest,
  options: WorkOptions,
): Promise<EngineComparison> {
  const pool = createGuardedComputePool({ start })
  const localDeps = { store, pool, start }
  async function clickHouse(): Promise<ComparedEngine> {
    const { raw } = request
    if (!raw) throw new AppError('bad-input', 'ClickHouse cannot read the cache: say where its events are.')
    return clickHouseEngine({ clock, ...(await reachClickHouse()) }, { ...request, raw }, options.signal)
  }
  try {
    const engines: ComparedEngine[] = []
    for (const name of new Set(names)) {
      if (name === 'clickhouse') engines.push(await clickHouse())
      else engines.push(name === 'spark' ? importedEngine(localDeps, request) : fileEngine(name, localDeps, request))
    }
    if (engines.length < 2) throw new AppError('bad-input', 'A comparison needs at least two engines.')
    return await compareEngines({ checks: store.engines.checks, engines, nowMs: clock.nowMs() }, request, options)
  } finally {
    await pool.close()
  }
}
