import { posix } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { ConflictReason, FolderDocument } from '#shared/contract/areas/folder.ts'
import type { FolderKindName } from '#shared/contract/documents/kindNames.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { codeOf, unwrittenText } from '#shared/units/fileKind.ts'
import { cutText } from '#shared/units/fileNames.ts'
import type { DocumentFile, DocumentFileStore } from '#core/store/documentFileStore.ts'
import type { FolderKind, FoundDocument, OwnDocument } from './documentKinds.ts'
import { textHash, isOwnSideSecond, mergeSides, type Problem } from './documentText.ts'
import { fileStem, freePath, isRebasing, moveFile, removeDocumentFile, replaceFile } from './folderFiles.ts'
import type { FolderScan, ScannedFile, ScannedKind } from './folderScan.ts'

/** Hashes of the two sides of a document: the stored document, written as a file, and the file in the folder. */
interface Sides {
  /** Hash of the stored document; null if there is none. */
  mine: string | null
  /** Hash of the file; null if there is none. */
  file: string | null
  /** Hashes of both sides after the last sync; null if they were never synced. */
  base: { mine: string; file: string } | null
}

type Step = 'none' | 'remember' | 'take' | 'write' | 'remove-file' | 'forget' | { conflict: ConflictReason }

/**
 * Decides how to bring both sides of a document together. If only one side changed, it wins; if both did, the user
 * decides. A missing file never deletes a document, because a drive, a branch or a colleague may have removed the file;
 * the user decides here too. A document deleted in the app deletes its file, unless the file has changed since.
 */
function nextStep({ mine, file, base }: Sides): Step {
  if (mine !== null && mine === file) return base?.mine === mine && base.file === file ? 'none' : 'remember'
  if (base === null) {
    if (mine === null) return file === null ? 'none' : 'take'
    return file === null ? 'write' : { conflict: 'changed' }
  }
  if (mine === null) {
    if (file === null) return 'forget'
    return file === base.file ? 'remove-file' : { conflict: 'removed-here' }
  }
  if (file === null) return { conflict: 'file-removed' }
  if (mine === base.mine) return file === base.file ? 'none' : 'take'
  return file === base.file ? 'write' : { conflict: 'changed' }
}

/** A file that was read as a document. */
interface FileWithDocument {
  scanned: ScannedFile
  found: FoundDocument
}

/** A document as it is stored in the app and as it is in the folder, and what to do about a difference. */
export interface DocumentPair {
  id: string
  own: OwnDocument | null
  file: FileWithDocument | null
  base: DocumentFile | null
  /** The next step; `give-id` writes an id into a file without one, which the next sync imports as a new document. */
  step: Step | 'give-id'
  /** Hash of the stored document, written as a file; null if there is none. */
  mineHash: string | null
  /** Hash of the file; null if there is none. */
  fileHash: string | null
}

/** A file with merge conflicts of Git, and the two versions of its document. */
export interface UnmergedFile {
  path: string
  stamp: string
  id: string
  name: string
  mine: string
  theirs: string
}

/** The documents of one kind found in the app and in the folder. */
export interface Survey {
  kind: FolderKind
  scannedKind: ScannedKind
  pairs: DocumentPair[]
  /** Files and documents that are ignored, each with its reason; the path of a document without a file is empty. */
  broken: { path: string; name: string; id: string | null; problem: string }[]
  unmerged: UnmergedFile[]
  /** True if a file may not be completely written yet. */
  isFresh: boolean
}

/** Maximum length of a file's problem text, which may quote names of any length. */
const LONGEST_PROBLEM = 500

/** Reads both sides of one kind and decides what to do with each document. */
export async function surveyKind(
  root: string,
  kind: FolderKind,
  files: DocumentFileStore,
  scan: FolderScan,
): Promise<Survey> {
  const scanned = await scan.scanKind(root, kind)
  const inRebase = scanned.files.some(hasConflictMarkers) && (await isRebasing(root))
  // All that follows is synchronous, so that the documents are a consistent snapshot.
  const baseById = new Map(files.list().flatMap((file) => (file.kind === kind.kind ? [[file.id, file] as const] : [])))
  const survey: Survey = { kind, scannedKind: scanned, pairs: [], broken: [], unmerged: [], isFresh: false }
  const ownById = new Map<string, OwnDocument>()
  try {
    for (const own of kind.list()) ownById.set(own.id, own)
  } catch (thrown) {
    const { detail, message } = toAppError(thrown)
    scanned.blocked ??= detail ?? message
  }
  if (scanned.blocked !== null) return survey
  const { fileById, filesWithoutId } = readFiles(survey, baseById, inRebase)
  const freshPaths = new Set(scanned.files.flatMap(({ path, isFresh }) => (isFresh ? [path] : [])))
  const unreadPaths = new Set([...[...survey.broken, ...survey.unmerged].map(({ path }) => path), ...freshPaths])
  survey.isFresh = freshPaths.size > 0
  for (const id of new Set([...ownById.keys(), ...fileById.keys(), ...baseById.keys()])) {
    const base = baseById.get(id) ?? null
    const file = fileById.get(id) ?? null
    const own = ownById.get(id) ?? null
    // A file that is broken or still being written counts neither as changed nor as deleted.
    if (!file && base && unreadPaths.has(base.path)) {
      if (own && freshPaths.has(base.path)) survey.pairs.push({ ...pairOf(id, own, null, base), step: 'none' })
      continue
    }
    if (own && 'problem' in own) {
      const path = file?.scanned.path ?? ''
      survey.broken.push({ path, name: own.name, id, problem: own.problem })
    } else {
      const pair = pairOf(id, own, file, base)
      // A file that was not read, because it is broken or unfinished, may belong to this document, so no second file is
      // written.
      const mayHaveFile =
        pair.step === 'write' && !file && own && (survey.isFresh || unreadPaths.has(usualPath(kind, own)))
      survey.pairs.push(mayHaveFile ? { ...pair, step: 'none' } : pair)
    }
  }
  for (const file of filesWithoutId) survey.pairs.push({ ...pairOf(randomUUID(), null, file, null), step: 'give-id' })
  return survey
}

const usualPath = ({ folder, suffix }: FolderKind, { name }: OwnDocument) => freePath(folder, name, suffix, [])

function pairOf(
  id: string,
  own: OwnDocument | null,
  file: FileWithDocument | null,
  base: DocumentFile | null,
): DocumentPair {
  const mineHash = own && 'text' in own ? hashOnce(own, id, () => own.text) : null
  const fileHash = file && hashOnce(file.found, id, () => file.found.text(id))
  const sides = { mine: mineHash, file: fileHash, base: base && { mine: base.mineHash, file: base.fileHash } }
  return { id, own, file, base, mineHash, fileHash, step: nextStep(sides) }
}

/** Documents read earlier, by the content of their files; a file's content is the same object until it is rewritten. */
const foundByContent = new WeakMap<ScannedFile['content'], { version: string; found: FoundDocument | Problem }>()

function documentIn(kind: FolderKind, path: string, content: { text: string }): FoundDocument | Problem {
  const version = kind.versionOfReading?.() ?? ''
  const earlier = foundByContent.get(content)
  if (earlier?.version === version) return earlier.found
  const found = kind.read(content.text, stemOf(path, kind.suffix))
  foundByContent.set(content, { version, found })
  return found
}

/** Hashes computed earlier, by document; a document is the same object until it changes. */
const hashBySide = new WeakMap<OwnDocument | FoundDocument, { id: string; hash: string }>()

function hashOnce(side: OwnDocument | FoundDocument, id: string, textOf: () => string): string {
  const earlier = hashBySide.get(side)
  if (earlier?.id === id) return earlier.hash
  const hash = textHash(textOf())
  hashBySide.set(side, { id, hash })
  return hash
}

/** Reads the scanned files as documents; if two have the same id, the file that had it before keeps it. */
function readFiles(survey: Survey, baseById: ReadonlyMap<string, DocumentFile>, inRebase: boolean) {
  const { kind, scannedKind } = survey
  const fileById = new Map<string, FileWithDocument>()
  const filesWithoutId: FileWithDocument[] = []
  const idByPath = new Map([...baseById.values()].map(({ id, path }) => [path, id]))
  const addBroken = ({ path }: ScannedFile, problem: string) =>
    survey.broken.push({
      ...{ path, name: stemOf(path, kind.suffix), id: idByPath.get(path) ?? null },
      problem: cutText(problem, LONGEST_PROBLEM),
    })
  for (const scanned of scannedKind.files) {
    if (scanned.isFresh) continue
    if ('problem' in scanned.content) {
      addBroken(scanned, scanned.content.problem)
      continue
    }
    const found = documentIn(kind, scanned.path, scanned.content)
    if ('problem' in found) {
      const unmerged = unmergedIn(kind, scanned.path, scanned.content.text, inRebase)
      if (unmerged) survey.unmerged.push({ ...unmerged, stamp: scanned.stamp })
      else addBroken(scanned, found.problem)
      continue
    }
    const file = { scanned, found }
    const other = found.id === null ? undefined : fileById.get(found.id)
    if (found.id === null) filesWithoutId.push(file)
    else if (!other) fileById.set(found.id, file)
    else {
      const isOwner = baseById.get(found.id)?.path === scanned.path
      if (isOwner) fileById.set(found.id, file)
      const [keptFile, copy] = isOwner ? [scanned, other.scanned] : [other.scanned, scanned]
      addBroken(
        copy,
        `is a copy of ${keptFile.path}: ${kind.isKeyedByName ? 'change the name in it' : 'remove its id'}.`,
      )
    }
  }
  return { fileById, filesWithoutId }
}

const hasConflictMarkers = ({ content }: ScannedFile) => 'text' in content && content.text.includes('\n>>>>>>> ')

/** Reads both versions from a file with merge conflicts; null if they are not two versions of one document. */
function unmergedIn(
  kind: FolderKind,
  path: string,
  text: string,
  inRebase: boolean,
): Omit<UnmergedFile, 'stamp'> | null {
  const sides = mergeSides(text)
  if (!sides) return null
  const [mine, theirs] = [sides.mine, sides.theirs].map((side) => kind.read(side, stemOf(path, kind.suffix)))
  if ('problem' in mine || 'problem' in theirs || mine.id === null || mine.id !== theirs.id) return null
  return inRebase || isOwnSideSecond(text)
    ? { path, id: mine.id, name: theirs.name, mine: sides.theirs, theirs: sides.mine }
    : { path, id: mine.id, name: mine.name, ...sides }
}

const stemOf = (path: string, suffix: string) => posix.basename(path).slice(0, -suffix.length)

/** Result of applying a survey: the number of changes, the kinds of changed documents, and the problems by `failedKey`. */
interface SyncResult {
  steps: number
  changedKinds: Set<FolderKindName>
  problemByKey: Map<string, string>
}

const failedKey = (kind: FolderKindName, id: string) => `${kind} ${id}`

/** Applies a survey: files one by one, all documents in one transaction. */
export async function applySurvey(
  root: string,
  survey: Survey,
  files: DocumentFileStore,
  scan: FolderScan,
): Promise<SyncResult> {
  const syncResult: SyncResult = { steps: 0, changedKinds: new Set(), problemByKey: new Map() }
  takeFiles(survey, files, syncResult)
  const usedPaths = survey.scannedKind.files.map(({ path }) => path)
  for (const pair of survey.pairs) {
    try {
      // The user may have chosen another folder, or none, while a file was written.
      if (files.folder() !== root) return syncResult
      if (await changeFile({ root, survey, files, scan, takenPaths: usedPaths }, pair)) syncResult.steps++
    } catch (thrown) {
      syncResult.problemByKey.set(failedKey(survey.kind.kind, pair.id), unwrittenText(codeOf(thrown)))
    }
  }
  return syncResult
}

interface FolderWork {
  root: string
  survey: Survey
  files: DocumentFileStore
  scan: FolderScan
  /** Paths in use that no new file may take; grows with each new file. */
  takenPaths: string[]
}

/**
 * Writes or removes the file of a document.
 * @returns false if there is nothing to do or the file has changed meanwhile
 */
async function changeFile({ root, survey, files, scan, takenPaths }: FolderWork, pair: DocumentPair): Promise<boolean> {
  const { kind } = survey.kind
  const { id, own, file, step, mineHash } = pair
  if (step === 'remove-file') {
    if (!(await removeDocumentFile(root, file!.scanned.path, file!.scanned.stamp))) return false
    files.forget(kind, id)
    return true
  }
  if (step === 'give-id') {
    const text = file!.found.text(id)
    scan.trust(root, file!.scanned.path, text)
    return replaceFile(root, file!.scanned.path, text, file!.scanned.stamp)
  }
  if (step !== 'write' || !own || !('text' in own)) return false
  const path = await writeFile(root, survey, pair, own, takenPaths)
  if (path === null) return false
  takenPaths.push(path)
  scan.trust(root, path, own.text)
  files.save({ kind, id, path, mineHash: mineHash!, fileHash: rereadHash(survey.kind, own, path) })
  return true
}

/** Returns the hash of a file just written, as the next sync will compute it. */
function rereadHash(kind: FolderKind, { id, text }: OwnDocument & { text: string }, path: string): string {
  const reread = kind.read(text, stemOf(path, kind.suffix))
  return textHash('problem' in reread ? text : reread.text(id))
}

/** Imports changed files and records which sides are equal, in one transaction. */
function takeFiles({ kind, pairs }: Survey, files: DocumentFileStore, syncResult: SyncResult): void {
  const isMoved = ({ step, base, file }: DocumentPair) =>
    step === 'none' && base && file && base.path !== file.scanned.path
  const rememberedPairs = pairs.filter(({ step }) => step === 'remember' || step === 'forget')
  const changedPairs = pairs.filter(({ step }) => step === 'take')
  const movedPairs = pairs.filter(isMoved)
  if (rememberedPairs.length + changedPairs.length + movedPairs.length === 0) return
  const storedPairs = files.inTransaction(() => {
    // Another process may have changed a document since it was read; the next sync will notice.
    const currentById = new Map(kind.list().map((own) => [own.id, own]))
    const unchangedPairs = changedPairs.filter(
      ({ id, own }) => textOf(currentById.get(id)) === textOf(own ?? undefined),
    )
    const writtenPairs: DocumentPair[] = []
    // Frees the old names first, so that two documents can swap theirs.
    if (unchangedPairs.length > 1)
      for (const { id, own, file } of unchangedPairs) if (own && own.name !== file!.found.name) kind.park(id)
    for (const pair of unchangedPairs) {
      try {
        files.inTransaction(() => pair.file!.found.put(pair.id))
        writtenPairs.push(pair)
      } catch (thrown) {
        const { detail, message } = toAppError(thrown)
        syncResult.problemByKey.set(failedKey(kind.kind, pair.id), `cannot be stored: ${detail ?? message}`)
      }
    }
    for (const { id, base, file } of movedPairs) files.save({ ...base!, id, path: file!.scanned.path })
    for (const { id, step, file, mineHash, fileHash } of rememberedPairs) {
      if (step === 'forget') files.forget(kind.kind, id)
      else files.save({ kind: kind.kind, id, path: file!.scanned.path, mineHash: mineHash!, fileHash: fileHash! })
    }
    for (const { id, file, fileHash } of writtenPairs)
      files.save({ kind: kind.kind, id, path: file!.scanned.path, mineHash: fileHash!, fileHash: fileHash! })
    return writtenPairs
  })
  syncResult.steps += rememberedPairs.length + storedPairs.length
  if (storedPairs.length === 0) return
  syncResult.changedKinds.add(kind.kind)
  // A document whose name was taken got a number in the app only, so that two users do not keep renaming each other's
  // files.
  const textById = new Map(kind.list().map((own) => [own.id, textOf(own)]))
  for (const { id, file, fileHash } of storedPairs) {
    const text = textById.get(id)
    const mineHash = typeof text === 'string' ? textHash(text) : fileHash!
    if (mineHash !== fileHash)
      files.save({ kind: kind.kind, id, path: file!.scanned.path, mineHash, fileHash: fileHash! })
  }
}

const textOf = (own: OwnDocument | undefined) => (own && 'text' in own ? own.text : null)

/**
 * Writes the file of a document and renames it if the document was renamed.
 * @returns the path; null if the file has changed meanwhile
 */
async function writeFile(
  root: string,
  { kind }: Survey,
  { file }: DocumentPair,
  { name, text }: OwnDocument & { text: string },
  takenPaths: readonly string[],
): Promise<string | null> {
  if (!file) {
    const path = freePath(kind.folder, name, kind.suffix, takenPaths)
    return (await replaceFile(root, path, text, null)) ? path : null
  }
  const { path, stamp } = file.scanned
  if (!(await replaceFile(root, path, text, stamp))) return null
  const folder = posix.dirname(path)
  // A file that the user renamed keeps its name.
  const followsOldName =
    stemOf(path, kind.suffix).replace(/ \d+$/, '') === fileStem(file.found.name).replace(/ \d+$/, '')
  if (!followsOldName || file.found.name === name) return path
  const renamedPath = freePath(
    folder,
    name,
    kind.suffix,
    takenPaths.filter((other) => other !== path),
  )
  return renamedPath !== path && (await moveFile(root, path, renamedPath)) ? renamedPath : path
}

const conflictText: Record<ConflictReason, string> = {
  changed: 'was changed here and in the folder.',
  'file-removed': 'is here, but its file is gone from the folder.',
  'removed-here': 'was removed here, but its file has changed since.',
  unmerged: 'has two versions in its file, which Git could not merge.',
}

/** Lists the documents of a survey for the user. */
export function listDocuments(
  { kind: { kind }, pairs, broken, unmerged }: Survey,
  problemByKey: ReadonlyMap<string, string>,
): FolderDocument[] {
  const folderDocuments: FolderDocument[] = []
  for (const { id, own, file, base, step } of pairs) {
    if (!own && !file) continue
    const failure = problemByKey.get(failedKey(kind, id)) ?? null
    const conflict = typeof step === 'object' ? step.conflict : null
    const name = own?.name ?? file?.found.name ?? ''
    const path = file?.scanned.path ?? base?.path ?? null
    const detail = failure ?? (conflict && conflictText[conflict])
    folderDocuments.push({
      kind,
      id,
      name,
      file: path,
      state: failure ? 'broken' : conflict ? 'conflict' : 'ok',
      detail,
      conflict,
    })
  }
  for (const { path, name, id } of unmerged)
    folderDocuments.push({
      ...{ kind, id, name, file: path },
      ...{ state: 'conflict', detail: conflictText.unmerged, conflict: 'unmerged' },
    })
  for (const { path, name, id, problem } of broken)
    folderDocuments.push({ kind, id, name, file: path || null, state: 'broken', detail: problem, conflict: null })
  return folderDocuments
}
