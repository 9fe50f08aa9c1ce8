import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { ImportOutcome } from '#shared/contract/areas/raw.ts'
import { placeFindings } from '#shared/contract/placeFindings.ts'
import { periodDays } from '#shared/time/periods.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Clock } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import type { Candidate } from './candidates.ts'
import { hashOfFile, copyIntoCache } from './copyIntoCache.ts'

export interface ImportFileDeps {
  store: Store
  commit: ValidationPool['commit']
  clock: Clock
}

/** A file that was looked at, to be taken in as events of this venue and symbol. */
export interface Wanted {
  id: string
  exchange: string
  symbol: string
  replace: boolean
}

export interface ImportOptions {
  signal: AbortSignal
  onBytes(doneBytes: number): void
}

/** Takes one file in, or says why not; throws only where all of it was cancelled. */
export async function importFile(
  deps: ImportFileDeps,
  connectionId: string,
  wanted: Wanted,
  candidate: Candidate | undefined,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const { id } = wanted
  const sizeBytes = candidate?.found.sizeBytes ?? 0
  try {
    if (!candidate) throw new AppError('not-found', 'This file was not inspected, or is already imported.')
    return { id, sizeBytes, error: null, ...(await importCandidate(deps, connectionId, wanted, candidate, options)) }
  } catch (thrown) {
    options.signal.throwIfAborted()
    const error = toAppError(thrown)
    const state = error instanceof PlaceTaken ? 'conflict' : 'failed'
    return { id, sizeBytes, state, path: null, error: error.toShape() }
  }
}

class PlaceTaken extends AppError {}

async function importCandidate(
  { store, commit, clock }: ImportFileDeps,
  connectionId: string,
  { exchange, symbol, replace }: Wanted,
  { found, dataset, period, hasTimeKind, contentFindings, conditions }: Candidate,
  { signal, onBytes }: ImportOptions,
): Promise<{ state: 'imported' | 'cached'; path: string }> {
  const problem = [...placeFindings(dataset, exchange, symbol, hasTimeKind), ...contentFindings].find(
    ({ level }) => level === 'error',
  )
  if (problem || dataset === null || period === null)
    throw new AppError('bad-input', problem?.message ?? `${found.name}: nothing tells what it holds.`)

  const series: OwnedSeries = { connectionId, kind: 'raw', dataset, exchange, symbol, interval: '', timestamp: '' }
  const path = store.folder.pathOf(series, period)
  if (store.cacheUse.isAwaited(series, period))
    throw new PlaceTaken('conflict', `${period} of this series is being downloaded right now.`)
  const held = store.files.find(series, period)
  if (held && (await isSame(found.path, found.sizeBytes, held, signal))) return { state: 'cached', path }
  if (held && !replace)
    throw new PlaceTaken(
      'conflict',
      `Another file of ${period} is here already (${originWords[held.origin]}), and stays unless this one is to take its place.`,
    )

  const proof = await copyIntoCache({ source: found, path, root: store.folder.root, commit, signal, onBytes })
  const days = periodDays(period)!
  const nowMs = clock.nowMs()
  const file: CachedFile = {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: 'final',
    origin: 'import',
    sizeBytes: proof.sizeBytes,
    sha256: proof.sha256,
    etag: null,
    fetchedAtMs: nowMs,
    usedAtMs: nowMs,
    pinned: false,
    changedUpstreamAtMs: null,
  }
  store.files.record([{ file, facts: proof.facts }])
  if (conditions) store.conditions.write(series, period, conditions)
  return { state: 'imported', path }
}

const originWords: Record<CachedFile['origin'], string> = {
  service: 'from the service',
  import: 'imported before',
  computed: 'computed here',
}

async function isSame(path: string, sizeBytes: number, held: CachedFile, signal: AbortSignal): Promise<boolean> {
  return sizeBytes === held.sizeBytes && (await hashOfFile(path, signal)) === held.sha256
}
