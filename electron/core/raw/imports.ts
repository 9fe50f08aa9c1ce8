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
   * Imports files one after the other. After a cancellation, the files imported so far stay; the rest can be imported
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
const FILES_AT_ONCE = 4

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
      const files: InspectedFile[] = []
      let doneBytes = 0
      for (let at = 0; at < found.length; at += FILES_AT_ONCE) {
        const inspections = found.slice(at, at + FILES_AT_ONCE).map(async ({ file, receivedId }) => {
          const onRows = (rows: number, totalRows: number) =>
            onProgress({ done: doneBytes + (file.sizeBytes * rows) / totalRows, total: totalBytes, message: file.name })
          const inspected = await inspection.inspect({ path: file.path, given }, signal, onRows)
          return inspectedFile(candidates.add({ ...inspected, file: file, receivedId }))
        })
        files.push(...(await Promise.all(inspections)))
        doneBytes = sum(files.map(({ sizeBytes }) => sizeBytes))
        onProgress({
          done: doneBytes,
          total: totalBytes,
          message: `${files.length} of ${plainPlural(found.length, 'file')}`,
        })
      }
      return { files: [...files, ...unreadable], others }
    },

    async run(connectionId, filesToImport, { signal, onProgress }) {
      const outcomes: ImportOutcome[] = []
      const totalBytes = sum(filesToImport.map(({ id }) => candidates.find(id)?.file.sizeBytes ?? 0))
      let doneBytes = 0
      try {
        for (const each of filesToImport) {
          signal.throwIfAborted()
          const candidate = candidates.find(each.id)
          const message = candidate?.file.name ?? ''
          const onBytes = (bytes: number) => onProgress({ done: doneBytes + bytes, total: totalBytes, message })
          const outcome = await importFile(deps, connectionId, each, candidate, { signal, onBytes })
          outcomes.push(outcome)
          doneBytes += candidate?.file.sizeBytes ?? 0
        }
        forget(outcomes.filter(({ path }) => path !== null).map(({ id }) => id))
        return outcomes
      } finally {
        if (outcomes.some(({ state }) => state === 'imported')) deps.onImported()
      }
    },

    dismiss(ids) {
      if (ids) return forget(ids)
      forget(candidates.all().map(({ id }) => id))
      received.remove(received.list().map(({ id }) => id))
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
