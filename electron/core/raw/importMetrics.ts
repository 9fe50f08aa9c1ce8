import { basename, relative } from 'node:path'
import { periodLimitsOf } from '#core/downloads/guardedValidation.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Clock } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { decodeSymbol, isSymbol, parseSymbol } from '#shared/catalog/symbols.ts'
import type { MetricFileGuess, MetricFileImport } from '#shared/contract/areas/raw.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { parseInterval } from '#shared/time.ts'
import { periodDays } from '#shared/time/periods.ts'
import { findRawFiles, type ImportableFile } from './candidates.ts'
import { copyIntoCache, hashOfFile } from './importFile.ts'

/** Metric files that other programs downloaded: a folder tree whose parts name the series. */

interface MetricImportDeps {
  store: Store
  clock: Clock
  commit: ValidationPool['commit']
}

type Identity = Partial<Record<'dataset' | 'exchange' | 'symbol' | 'interval' | 'timestamp', string>>

export interface MetricImportRequest {
  connectionId: string
  folder: string
  given: Identity
}

const keys = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const
const keyNames: Readonly<Record<string, (typeof keys)[number]>> = { venue: 'exchange', clock: 'timestamp' }
const options = { dataset: 'D', exchange: 'V', symbol: 'S', interval: 'I', timestamp: 'T' } as const

/** Finds the metric files of a folder and what each is of, by the options and the names of its folders. */
export async function guessMetricFiles(
  { store }: Pick<MetricImportDeps, 'store'>,
  { connectionId, folder, given }: MetricImportRequest,
  signal: AbortSignal,
): Promise<{ files: (MetricFileGuess & { found: ImportableFile })[]; others: number }> {
  const { files, others } = await findRawFiles(folder, signal)
  const facts = {
    venues: new Set(store.venues.of(connectionId).list.map(({ id }) => id)),
    datasets: new Set(store.queryRows.datasets([connectionId], 'metrics')),
  }
  const named = files.filter(({ path }) => periodOf(path) !== null)
  return {
    files: named.map((found) => {
      const parts = [basename(folder), ...relative(folder, found.path).split(/[\\/]/).slice(0, -1)]
      const identity = identityOf(parts, given, facts)
      const missing = keys.filter((key) => identity[key] === undefined)
      const problem =
        missing.length === 0
          ? (problemOf(identity as Required<Identity>) ?? null)
          : `nothing names its ${missing.join(', its ')}; give ${missing.map((key) => `--${key} ${options[key]}`).join(' ')}`
      const { dataset = null, exchange = null, symbol = null, interval = null, timestamp = null } = identity
      return {
        file: found.path,
        dataset,
        exchange,
        symbol,
        interval,
        timestamp,
        period: periodOf(found.path)!,
        problem,
        found,
      }
    }),
    others: others + files.length - named.length,
  }
}

const periodOf = (path: string): string | null => {
  const [, period] = /^(\d{4}-\d{2}(?:-\d{2})?)\.parquet$/.exec(basename(path)) ?? []
  return period !== undefined && periodDays(period) !== null ? period : null
}

function problemOf({ interval, timestamp, symbol }: Required<Identity>): string | undefined {
  if (parseInterval(interval) === null) return `${interval} is not an interval`
  if (!timestampSources.some((source) => source === timestamp)) return `${timestamp} is not a clock: exchange or true`
  return isSymbol(symbol) ? undefined : `“${symbol}” is not a symbol`
}

interface NameFacts {
  venues: ReadonlySet<string>
  datasets: ReadonlySet<string>
}

/** Assigns the parts of a path to what they name: `key=value` as it says, others by what they can be. */
function identityOf(parts: readonly string[], given: Identity, { venues, datasets }: NameFacts): Identity {
  const found: Identity = {}
  const unassigned: string[] = []
  // The first part is the folder that the user named, whose name may say nothing of the files.
  for (const [at, part] of parts.entries()) {
    const [, key, written] = /^([a-z]+)=(.*)$/.exec(part) ?? []
    const value = decoded(written ?? part)
    const named = key === undefined ? undefined : (keyNames[key] ?? keys.find((each) => each === key))
    if (named) found[named] ??= value
    else if (parseInterval(value) !== null) found.interval ??= value
    else if (timestampSources.some((source) => source === value)) found.timestamp ??= value
    else if (isMetricDatasetId(value) || datasets.has(value)) found.dataset ??= value
    else if (venues.has(value)) found.exchange ??= value
    else if (parseSymbol(value) !== null || (isSymbol(value) && value.includes(':'))) found.symbol ??= value
    else if (at > 0) unassigned.push(value)
  }
  const identity = { ...found, ...given }
  // What is left names what is missing, from the innermost folder out: a symbol of another kind, a venue, a dataset.
  const rest = unassigned.filter((value) => !/^(?:data|metrics|files|cache)$/i.test(value))
  const take = (fits: (value: string) => boolean): string | undefined => {
    const at = rest.findLastIndex(fits)
    return at < 0 ? undefined : rest.splice(at, 1)[0]
  }
  identity.symbol ??= take((value) => isSymbol(value) && /-[A-Z0-9]+$/.test(value)) as string
  identity.exchange ??= take((value) => /^[a-z0-9][a-z0-9._-]*$/.test(value)) as string
  identity.dataset ??= take((value) => /^[a-z][a-z0-9_]*$/.test(value)) as string
  return identity
}

function decoded(text: string): string {
  try {
    return decodeSymbol(text) ?? decodeURIComponent(text)
  } catch {
    return text
  }
}

interface ImportOptions {
  signal: AbortSignal
  progress(progress: Progress): void
}

/** Copies the metric files of a folder into the cache, each checked like a download; one that fails stops no other. */
export async function importMetrics(
  deps: MetricImportDeps,
  request: MetricImportRequest,
  { signal, progress }: ImportOptions,
): Promise<{ files: MetricFileImport[]; others: number }> {
  const { files, others } = await guessMetricFiles(deps, request, signal)
  const imported: MetricFileImport[] = []
  for (const [at, { found, ...guess }] of files.entries()) {
    signal.throwIfAborted()
    progress({ done: at, total: files.length, message: found.name })
    imported.push({ ...guess, ...(await importOne(deps, request.connectionId, guess, found, signal)) })
  }
  return { files: imported, others }
}

async function importOne(
  deps: MetricImportDeps,
  connectionId: string,
  guess: MetricFileGuess,
  found: ImportableFile,
  signal: AbortSignal,
): Promise<Pick<MetricFileImport, 'state' | 'rows' | 'bytes' | 'sha256' | 'path' | 'error'>> {
  const failed = { state: 'failed' as const, rows: 0, bytes: found.sizeBytes, sha256: null, path: null }
  if (guess.problem !== null) return { ...failed, error: `${found.path}: ${guess.problem}.` }
  try {
    return await copyOne(deps, connectionId, guess, found, signal)
  } catch (thrown) {
    signal.throwIfAborted()
    return { ...failed, error: toAppError(thrown).detail ?? `${found.path} cannot be imported.` }
  }
}

async function copyOne(
  { store, clock, commit }: MetricImportDeps,
  connectionId: string,
  { dataset, exchange, symbol, interval, timestamp, period }: MetricFileGuess,
  found: ImportableFile,
  signal: AbortSignal,
): Promise<Pick<MetricFileImport, 'state' | 'rows' | 'bytes' | 'sha256' | 'path' | 'error'>> {
  const series: OwnedSeries = {
    ...{ connectionId, kind: 'metrics', dataset: dataset!, exchange: exchange!, symbol: symbol! },
    ...{ interval: interval!, timestamp: timestamp! },
  }
  const path = store.folder.pathOf(series, period)
  if (store.cacheUse.isAwaited(series, period))
    throw new AppError('conflict', `${found.path}: ${period} of this series is being downloaded right now.`)
  const cached = store.files.find(series, period)
  const sha256 = cached && (await hashOfFile(found.path, signal))
  if (cached && cached.sha256 === sha256)
    return {
      state: 'cached',
      rows: store.files.facts(series, period)?.rows ?? 0,
      bytes: cached.sizeBytes,
      sha256,
      path,
      error: null,
    }
  if (cached && cached.origin !== 'import')
    throw new AppError(
      'conflict',
      `${found.path}: ${period} is already cached from the service, with other content; it stays.`,
    )
  const limits = periodLimitsOf(series, period)
  const commitWithLimits: ValidationPool['commit'] = (task) => commit({ ...task, ...limits })
  const validated = await copyIntoCache({
    ...{ source: found, path, root: store.folder.root, commit: commitWithLimits, signal },
    onBytes: () => undefined,
  })
  const days = periodDays(period)!
  const nowMs = clock.nowMs()
  const file: CachedFile = {
    ...{ series, period, startDay: days.start, endDay: days.end, state: 'final', origin: 'import' },
    ...{ sizeBytes: validated.sizeBytes, sha256: validated.sha256, etag: null, fetchedAtMs: nowMs, usedAtMs: nowMs },
    ...{ pinned: false, changedUpstreamAtMs: null },
  }
  const provenance = JSON.stringify({ importedFrom: found.path, sha256: validated.sha256 })
  store.files.record([{ file, facts: { ...validated.facts, provenance } }])
  const { rows } = validated.facts
  return { state: 'imported', rows, bytes: validated.sizeBytes, sha256: validated.sha256, path, error: null }
}
