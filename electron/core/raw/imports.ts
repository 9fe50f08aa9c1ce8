import type { ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
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

  return {
    async inspect(connectionId, givenFields, { signal, onProgress }) {
      const venues = deps.store.venues.of(connectionId).list.map(({ id }) => id)
      const given = { ...givenFields, venues }
      const { found, unreadable, others } = await findAll(received, signal)
      const totalBytes = sum(found.map(({ file }) => file.sizeBytes))
      const tally = createTally(totalBytes, onProgress)
      const files: InspectedFile[] = []
      await inTurns(found, FILES_INSPECTED_AT_ONCE, async ({ file, receivedId }, at) => {
        const onRows = (rows: number, totalRows: number) =>
          tally.note(at, (file.sizeBytes * rows) / totalRows, file.name)
        const inspected = await inspection.inspect({ path: file.path, given }, signal, onRows)
        files[at] = inspectedFile(candidates.add({ ...inspected, file, receivedId }))
        tally.note(at, file.sizeBytes, `${Object.keys(files).length} of ${plainPlural(found.length, 'file')}`)
      })
      return { files: [...files, ...unreadable], others }
    },

    async run(connectionId, filesToImport, { signal, onProgress }) {
      const outcomes: ImportOutcome[] = []
      const totalBytes = sum(filesToImport.map(({ id }) => candidates.find(id)?.file.sizeBytes ?? 0))
      const tally = createTally(totalBytes, onProgress)
      /** Files of one period are imported one after the other, so that the second finds the first. */
      const importing = new Map<string, Promise<unknown>>()
      try {
        await inTurns(filesToImport, FILES_IMPORTED_AT_ONCE, async (each, at) => {
          const candidate = candidates.find(each.id)
          const place = [candidate?.dataset, each.exchange, each.symbol, candidate?.period].join('\n')
          const before = importing.get(place)
          const work = async () => {
            await before
            signal.throwIfAborted()
            const onBytes = (bytes: number) => tally.note(at, bytes, candidate?.file.name ?? '')
            outcomes[at] = await importFile(deps, connectionId, each, candidate, { signal, onBytes })
          }
          const running = work()
          importing.set(place, running)
          await running
        })
        forget(outcomes.filter(({ path }) => path !== null).map(({ id }) => id))
        return outcomes
      } finally {
        if (outcomes.some((outcome) => outcome?.state === 'imported')) deps.onImported()
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
