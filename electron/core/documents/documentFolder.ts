import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ConflictChoice, DocumentSides, DocumentsFolder, FolderDocument } from '#shared/contract/areas/folder.ts'
import type { FolderKindName } from '#shared/contract/documents/kindNames.ts'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, unopenedText, unwrittenText } from '#shared/units/fileKind.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Logger } from '#core/ports.ts'
import type { Lease } from '#core/store/lease.ts'
import type { Store } from '#core/store/store.ts'
import { createFolderKinds } from './documentKinds.ts'
import {
  applySurvey,
  listDocuments,
  type DocumentPair,
  type Survey,
  surveyKind,
  type UnmergedFile,
} from './documentSync.ts'
import { textHash } from './documentText.ts'
import { clearLeftOvers, folderProblem, MARKER, markFolder, replaceFile } from './folderFiles.ts'
import { createFolderScan } from './folderScan.ts'

/** Time without a change after which a file counts as completely written. */
const SETTLE_MS = 250
/** Longest time that a sync waits for files that are being written. */
const MOST_WAIT_MS = 2000
/**
 * Maximum number of passes of a sync if no file is still being written. One pass is not enough if a file is renamed, a
 * name gets a number or an id is written.
 */
const MOST_PASSES = 4

export interface DocumentFolderDeps {
  store: Store
  dataDir: string
  bus: EventBus
  log: Logger
  /** Lease for changing the folder and its documents; only one process of a data folder holds it at a time. */
  lease: Lease
}

export interface DocumentFolderService {
  /** Compares documents and files and, if this process holds the lease, brings both up to date. */
  sync(): Promise<DocumentsFolder>
  use(folder: string): Promise<DocumentsFolder>
  /** Stops using the folder; its files stay. */
  stop(): void
  compare(kind: FolderKindName, id: string): Promise<DocumentSides>
  resolve(which: { kind: FolderKindName; id: string; choice: ConflictChoice; seen: string }): Promise<DocumentsFolder>
  /** Returns the folders that the last sync scanned, relative to the documents folder. */
  foldersToWatch(): readonly string[]
}

export function createDocumentFolder(deps: DocumentFolderDeps): DocumentFolderService {
  const { store, bus, lease, log } = deps
  const files = store.documentFiles
  const kinds = createFolderKinds(store)
  const scan = createFolderScan(() => Date.now(), SETTLE_MS)
  let foldersToWatch: string[] = []
  let lastReport = ''
  let running: Promise<unknown> = Promise.resolve()

  /** Syncs after all syncs before it have ended. */
  function sync(): Promise<DocumentsFolder> {
    const nextSync = running.then(syncNow, syncNow)
    running = nextSync.catch(() => {})
    return nextSync
  }

  async function syncNow(): Promise<DocumentsFolder> {
    const root = files.folder()
    if (root === null) return report({ folder: null, problem: null, documents: [] })
    const problem = await folderProblem(root)
    if (problem !== null) {
      foldersToWatch = []
      return report({ folder: root, problem, documents: [] })
    }
    let mayChange = lease.take()
    const startedMs = Date.now()
    const problemByKey = new Map<string, string>()
    for (let pass = 0; ; pass++) {
      const surveys = await surveyAll(root)
      if (files.folder() !== root) return syncNow()
      const isFresh = surveys.some((survey) => survey.isFresh)
      const isDone = mayChange ? pass >= MOST_PASSES && !isFresh : !isFresh && !surveys.some(hasSteps)
      if (isDone || Date.now() - startedMs > MOST_WAIT_MS) return report(folderState(root, surveys, problemByKey))
      if (!mayChange) {
        // The process that holds the lease is at it; a list of what it has done so far would miss the rest.
        await wait(SETTLE_MS / 2)
        mayChange = lease.take()
        continue
      }
      const steps = await applyAll(root, surveys, problemByKey)
      if (steps === 0 && !isFresh) return report(folderState(root, surveys, problemByKey))
      if (steps === 0) await wait(SETTLE_MS / 2)
    }
  }

  async function surveyAll(root: string): Promise<Survey[]> {
    const surveys: Survey[] = []
    for (const kind of kinds) surveys.push(await surveyKind(root, kind, files, scan))
    foldersToWatch = ['', ...surveys.flatMap((survey) => survey.scannedKind.folders)]
    return surveys
  }

  async function applyAll(
    root: string,
    surveys: readonly Survey[],
    problemByKey: Map<string, string>,
  ): Promise<number> {
    let steps = 0
    await clearLeftOvers(root, foldersToWatch, Date.now())
    for (const survey of surveys) {
      const syncResult = await applySurvey(root, survey, files, scan)
      for (const [key, problem] of syncResult.problemByKey) problemByKey.set(key, problem)
      for (const kind of syncResult.changedKinds) announce(kind)
      steps += syncResult.steps
    }
    return steps
  }

  /** Returns the state, and notifies windows if it differs from the last report. */
  function report(found: DocumentsFolder): DocumentsFolder {
    const text = JSON.stringify(found)
    if (text !== lastReport && lastReport !== '') bus.emit('folder.changed', {})
    lastReport = text
    return found
  }

  async function conflictOf(kind: FolderKindName, id: string): Promise<Conflict> {
    await sync()
    const root = files.folder()
    const folderKind = kinds.find((each) => each.kind === kind)
    if (root === null || !folderKind) throw new AppError('not-found', 'No documents folder is set.')
    return conflictIn(await surveyKind(root, folderKind, files, scan), id, root)
  }

  /** Tells windows that the documents of a kind were changed from the folder. */
  function announce(kind: FolderKindName): void {
    if (kind === 'own') bus.emit('data.changed', {})
    else bus.emit('documents.changed', { kind })
  }

  return {
    sync,
    async use(folder) {
      const root = await checkFolder(folder, deps.dataDir)
      try {
        await markFolder(root)
      } catch (thrown) {
        if (thrown instanceof AppError) throw thrown
        throw new AppError('bad-input', `${join(root, MARKER)} ${unwrittenText(codeOf(thrown))}`, { cause: thrown })
      }
      if (files.folder() !== root) files.setFolder(root)
      log.write('info', 'a documents folder was set')
      return sync()
    },
    stop() {
      files.setFolder(null)
      foldersToWatch = []
      void sync()
    },
    async compare(kind, id) {
      return (await conflictOf(kind, id)).sides
    },
    async resolve({ kind, id, choice, seen }) {
      const conflict = await conflictOf(kind, id)
      if (conflict.sides.seen !== seen) throw changedMeanwhile()
      if ('unmerged' in conflict) {
        const text = chosenText(conflict.sides, choice)
        scan.trust(conflict.root, conflict.unmerged.path, text)
        await writeUnmerged(conflict, text)
        return sync()
      }
      const { survey, pair } = conflict
      files.inTransaction(() => applyChoice(survey, pair, choice, store))
      announce(survey.kind.kind)
      return sync()
    },
    foldersToWatch: () => foldersToWatch,
  }
}

/** Tells whether a survey found differences that the next sync settles by itself. */
const hasSteps = ({ pairs }: Survey): boolean => pairs.some(({ step }) => typeof step === 'string' && step !== 'none')

function folderState(
  root: string,
  surveys: readonly Survey[],
  problemByKey: ReadonlyMap<string, string>,
): DocumentsFolder {
  const documents = surveys.flatMap((survey) => listDocuments(survey, problemByKey))
  const folderProblems = surveys.flatMap(({ scannedKind: { blocked } }) => blocked ?? [])
  return {
    folder: root,
    problem: folderProblems.length > 0 ? folderProblems.join(' ') : null,
    documents: sortDocuments(documents),
  }
}

/** A document with two versions, between which the user has to choose. */
type Conflict = { root: string; survey: Survey; sides: DocumentSides } & (
  | { pair: DocumentPair }
  | { unmerged: UnmergedFile }
)

function conflictIn(survey: Survey, id: string, root: string): Conflict {
  const unmerged = survey.unmerged.find((each) => each.id === id)
  if (unmerged) return { survey, unmerged, sides: sidesOfUnmerged(unmerged), root }
  const pair = survey.pairs.find((each) => each.id === id && typeof each.step === 'object')
  if (!pair) throw new AppError('not-found', 'This document no longer has a conflict.')
  return { survey, pair, sides: sidesOf(pair), root }
}

/** Returns the version that the user chose for a file that Git could not merge. */
function chosenText({ mine, file }: DocumentSides, choice: ConflictChoice): string {
  if (choice === 'both')
    throw new AppError('bad-input', 'Only one version of a file that Git could not merge can be kept.')
  return (choice === 'mine' ? mine : file) ?? ''
}

/** Writes the chosen version; the next sync imports it like any other change. */
async function writeUnmerged(
  { root, unmerged: { path, stamp } }: { root: string; unmerged: UnmergedFile },
  text: string,
) {
  if (!(await replaceFile(root, path, text, stamp))) throw changedMeanwhile()
}

const changedMeanwhile = () =>
  new AppError('conflict', 'One of the versions has changed in the meantime. Compare them again.')

/**
 * Resolves the full path of a documents folder; throws if it is not an existing folder or is inside the data folder.
 */
async function checkFolder(folder: string, dataDir: string): Promise<string> {
  if (!isAbsolute(folder)) throw new AppError('bad-input', `${folder} is not a full path.`)
  let root: string
  try {
    root = await realpath(resolve(folder))
    if (!(await stat(root)).isDirectory()) throw new AppError('bad-input', `${folder} is not a folder.`)
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown
    const code = codeOf(thrown)
    const problem = code === 'ENOENT' ? `There is no folder ${folder}. Create it first.` : unopenedText(folder, code)
    throw new AppError('bad-input', problem, { cause: thrown })
  }
  const fromDataDir = relative(await realpath(dataDir), root)
  if (fromDataDir === '' || (!isAbsolute(fromDataDir) && fromDataDir.split(sep)[0] !== '..'))
    throw new AppError('bad-input', `${folder} is inside the Perpscope data folder. Choose another one.`)
  return root
}

const stateOrder = { conflict: 0, broken: 1, ok: 2 }

const sortDocuments = (documents: readonly FolderDocument[]): FolderDocument[] =>
  documents.toSorted(
    (a, b) =>
      stateOrder[a.state] - stateOrder[b.state] || a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name, 'en'),
  )

const seenOf = (...texts: (string | null)[]) => texts.map((text) => (text === null ? '-' : textHash(text))).join(' ')

const sidesOfUnmerged = ({ name, mine, theirs }: UnmergedFile): DocumentSides => ({
  ...{ name, mine, file: theirs },
  seen: seenOf(mine, theirs),
})

function sidesOf({ id, own, file }: DocumentPair): DocumentSides {
  const mine = own && 'text' in own ? own.text : null
  const theirs = file && file.found.text(id)
  return {
    name: own?.name ?? file?.found.name ?? '',
    mine,
    file: theirs,
    seen: seenOf(mine, theirs),
  }
}

/** Records the user's choice so that the next sync carries it out, whichever process runs that sync. */
function applyChoice(
  { kind }: Survey,
  pair: DocumentPair,
  choice: ConflictChoice,
  { documentFiles: files }: Store,
): void {
  const { id, own, file, base, mineHash, fileHash } = pair
  const path = file?.scanned.path ?? base?.path ?? ''
  const keepMine = () => files.save({ kind: kind.kind, id, path, mineHash: '', fileHash: fileHash ?? '' })
  const takeFile = () => files.save({ kind: kind.kind, id, path, mineHash: mineHash ?? '', fileHash: '' })
  if (file && own) {
    if (choice === 'both') kind.copy(id)
    if (choice === 'mine') keepMine()
    else takeFile()
  } else if (own) {
    // The file was deleted: it is written again, or the document is deleted too.
    files.forget(kind.kind, id)
    if (choice === 'file') kind.remove(id)
  } else if (choice === 'mine') keepMine()
  // The document was deleted in the app: its file is deleted too, or the document is restored.
  else files.forget(kind.kind, id)
}
