import type { ImportOutcome, InspectedFile, TakenFile } from '#shared/contract/areas/raw.ts'
import { identityIssues } from '#shared/contract/identityIssues.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { Candidates, findRawFiles, type Candidate, type ImportableFile } from './candidates.ts'
import { importFile, type ImportFileDeps, type FileToImport } from './importFile.ts'
import type { GivenIdentity } from './inspectFile.ts'
import type { GuardedInspection } from './guardedInspection.ts'

/** Files that the user dropped or chose, by id. */
export interface ReceivedPaths {
  list(): readonly { id: string; name: string }[]
  pathOf(id: string): string | null
  remove(ids: readonly string[]): void
}

export interface ImportDeps extends ImportFileDeps {
  received: ReceivedPaths
  inspection: GuardedInspection
  onImported(): void
}

export interface WorkOptions {
  signal: AbortSignal
  onProgress(progress: Progress): void
}

export interface Imports {
  inspect(
    connectionId: string,
    given: Omit<GivenIdentity, 'venues'>,
    options: WorkOptions,
  ): Promise<{ files: InspectedFile[]; others: number }>
  /**
   * Imports all received files that have no problem, each as soon as it and those before it are inspected. After a
   * cancellation, the files imported so far stay.
   */
  importReceived(
    connectionId: string,
    given: Omit<GivenIdentity, 'venues'>,
    options: WorkOptions,
  ): Promise<{ files: TakenFile[]; others: number }>
  /**
   * Imports files, in their order. After a cancellation, the files imported so far stay; the rest can be imported
   * again.
   */
  run(connectionId: string, files: readonly FileToImport[], options: WorkOptions): Promise<ImportOutcome[]>
  /** Dismisses the files with these ids, or everything that the user dropped or chose if no ids are given. */
  dismiss(ids: readonly string[] | undefined): void
}

/**
 * Number of files inspected at a time: twice the maximum number of processes, so that no process waits for its next
 * file.
 */
const FILES_INSPECTED_AT_ONCE = 4
/** Number of files imported at a time, so that one is copied while another is validated. */
const FILES_IMPORTED_AT_ONCE = 2

export function createImports(deps: ImportDeps): Imports {
  const { received, inspection } = deps
  const candidates = new Candidates()

  /** Forgets files, and also the dropped folder once none of its files remains. */
  function forget(ids: readonly string[]): void {
    const receivedIds = new Set(ids.map((id) => candidates.find(id)?.receivedId ?? id))
    for (const id of ids) candidates.remove(id)
    const remainingIds = new Set(candidates.all().map(({ receivedId }) => receivedId))
    received.remove([...receivedIds].filter((id) => !remainingIds.has(id)))
  }

  /** Inspects all received files; `onInspected` is called with each candidate, and its position in their order. */
  async function inspectAll(
    connectionId: string,
    givenFields: Omit<GivenIdentity, 'venues'>,
    { signal, onProgress }: WorkOptions,
    onInspected: (candidate: Candidate, at: number) => void,
  ) {
    const venues = deps.store.venues.of(connectionId).list.map(({ id }) => id)
    const given = { ...givenFields, venues }
    const { found, unreadable, others } = await findAll(received, signal)
    const tally = createTally(sum(found.map(({ file }) => file.sizeBytes)), onProgress)
    let inspectedCount = 0
    await inTurns(found, FILES_INSPECTED_AT_ONCE, async ({ file, receivedId }, at) => {
      const onRows = (rows: number, totalRows: number) => tally.note(at, (file.sizeBytes * rows) / totalRows, file.name)
      const inspected = await inspection.inspect({ path: file.path, given }, signal, onRows)
      onInspected(candidates.add({ ...inspected, file, receivedId }), at)
      inspectedCount += 1
      tally.note(at, file.sizeBytes, `${inspectedCount} of ${plainPlural(found.length, 'file')}`)
    })
    return { unreadable, others }
  }

  /** Returns a function that imports files; those of one period one after the other, so that the second finds the first. */
  function importer(connectionId: string, signal: AbortSignal) {
    const importing = new Map<string, Promise<unknown>>()
    return async (each: FileToImport, candidate: Candidate | undefined, onBytes: (bytes: number) => void) => {
      const place = [candidate?.dataset, each.exchange, each.symbol, candidate?.period].join('\n')
      const before = importing.get(place)
      const work = async () => {
        await before
        signal.throwIfAborted()
        return importFile(deps, connectionId, each, candidate, { signal, onBytes })
      }
      const running = work()
      importing.set(place, running)
      return running
    }
  }

  type Outcomes = readonly (ImportOutcome | null | undefined)[]
  const forgetImported = (outcomes: Outcomes) =>
    forget(outcomes.flatMap((outcome) => (typeof outcome?.path === 'string' ? [outcome.id] : [])))
  const tellImported = (outcomes: Outcomes) =>
    outcomes.some((outcome) => outcome?.state === 'imported') && deps.onImported()

  return {
    async inspect(connectionId, given, options) {
      const files: InspectedFile[] = []
      const { unreadable, others } = await inspectAll(connectionId, given, options, (candidate, at) => {
        files[at] = inspectedFile(candidate)
      })
      return { files: [...files, ...unreadable], others }
    },

    async importReceived(connectionId, given, options) {
      const importOne = importer(connectionId, options.signal)
      const venues = deps.store.venues.of(connectionId)
      const inspected: InspectedFile[] = []
      const outcomes: (ImportOutcome | null)[] = []
      const queue = createQueue(FILES_IMPORTED_AT_ONCE, async (candidate: Candidate, at) => {
        const { id, dataset, exchange, symbol, hasTimeKind, rows, contentIssues } = candidate
        const identity = rows === null ? [] : identityIssues(dataset, exchange, symbol, hasTimeKind, venues)
        const issues = [...identity, ...contentIssues]
        const isRefused = exchange === null || symbol === null || issues.some(({ level }) => level === 'error')
        inspected[at] = { ...inspectedFile(candidate), issues }
        outcomes[at] = isRefused ? null : await importOne({ id, exchange, symbol, replace: false }, candidate, () => {})
      })
      try {
        const { unreadable, others } = await inspectAll(connectionId, given, options, queue.add)
        await queue.end()
        forgetImported(outcomes)
        const files = [...inspected, ...unreadable].map((file, at) => ({ file, outcome: outcomes[at] ?? null }))
        return { files, others }
      } finally {
        // Files that are being imported are done before the call ends, also if it fails.
        await queue.end().catch(() => {})
        tellImported(outcomes)
      }
    },

    async run(connectionId, filesToImport, { signal, onProgress }) {
      const outcomes: ImportOutcome[] = []
      const totalBytes = sum(filesToImport.map(({ id }) => candidates.find(id)?.file.sizeBytes ?? 0))
      const tally = createTally(totalBytes, onProgress)
      const importOne = importer(connectionId, signal)
      try {
        await inTurns(filesToImport, FILES_IMPORTED_AT_ONCE, async (each, at) => {
          const candidate = candidates.find(each.id)
          const onBytes = (bytes: number) => tally.note(at, bytes, candidate?.file.name ?? '')
          outcomes[at] = await importOne(each, candidate, onBytes)
        })
        forgetImported(outcomes)
        return outcomes
      } finally {
        tellImported(outcomes)
      }
    },

    dismiss(ids) {
      if (ids) return forget(ids)
      forget(candidates.all().map(({ id }) => id))
      received.remove(received.list().map(({ id }) => id))
    },
  }
}

/** Runs work on each item in order, on some of them at a time; after a failure, no other item is begun. */
async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, at: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries()
  let isFailed = false
  const workNext = async () => {
    for (const [at, item] of rest) {
      if (isFailed) return
      await work(item, at).catch((thrown: unknown) => {
        isFailed = true
        throw thrown
      })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, workNext))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Works on items, some of them at a time, that arrive in any order, in the order of their positions. */
function createQueue<Item>(atOnce: number, work: (item: Item, at: number) => Promise<void>) {
  const waiting = new Map<number, Item>()
  const running = new Set<Promise<void>>()
  let next = 0
  let failure: { thrown: unknown } | null = null
  function begin(): void {
    for (; running.size < atOnce && waiting.has(next) && !failure; next++) {
      const item = waiting.get(next)!
      waiting.delete(next)
      const done: Promise<void> = work(item, next)
        .catch((thrown: unknown) => void (failure ??= { thrown }))
        .finally(() => {
          running.delete(done)
          begin()
        })
      running.add(done)
    }
  }
  return {
    add(item: Item, at: number): void {
      waiting.set(at, item)
      begin()
    },
    /** Waits until no work is running; throws if some failed, after which no other is begun. */
    async end(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
      if (failure) throw failure.thrown
    },
  }
}

/** Adds up the bytes that are done of files that are worked on at the same time. */
function createTally(totalBytes: number, onProgress: WorkOptions['onProgress']) {
  const doneByFile = new Map<number, number>()
  return {
    note(file: number, doneBytes: number, message: string): void {
      doneByFile.set(file, doneBytes)
      onProgress({ done: sum([...doneByFile.values()]), total: totalBytes, message })
    },
  }
}

async function findAll(received: ReceivedPaths, signal: AbortSignal) {
  const found: { file: ImportableFile; receivedId: string }[] = []
  const unreadable: InspectedFile[] = []
  let others = 0
  for (const { id, name } of received.list()) {
    try {
      const pathContents = await findRawFiles(received.pathOf(id) ?? '', signal)
      found.push(...pathContents.files.map((file) => ({ file, receivedId: id })))
      others += pathContents.others
    } catch (thrown) {
      signal.throwIfAborted()
      unreadable.push(unreadableFile(id, name, thrown))
    }
  }
  return { found, unreadable, others }
}

const inspectedFile = (candidate: Candidate): InspectedFile => ({
  id: candidate.id,
  name: candidate.file.name,
  sizeBytes: candidate.file.sizeBytes,
  dataset: candidate.dataset,
  exchange: candidate.exchange,
  symbol: candidate.symbol,
  period: candidate.period,
  rows: candidate.rows,
  hasTimeKind: candidate.hasTimeKind,
  issues: candidate.contentIssues,
  conditions: candidate.conditions,
})

function unreadableFile(id: string, name: string, thrown: unknown): InspectedFile {
  const { detail, sentence } = toAppError(thrown)
  const noFacts = {
    dataset: null,
    exchange: null,
    symbol: null,
    period: null,
    rows: null,
    hasTimeKind: false,
    conditions: null,
  }
  return {
    ...noFacts,
    id,
    name,
    sizeBytes: 0,
    issues: [{ level: 'error', message: detail ?? sentence }],
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
