import { computedOwner, connectionOfOwner, isComputedOwner } from '#shared/contract/computedOwner.ts'
import type { BoardContent, BoardDocument } from '#shared/contract/areas/boards.ts'
import { AppError } from '#shared/contract/errors.ts'
import { countsWhenRun } from '#shared/lab/kinds.ts'
import type { ProvenanceForm } from '#shared/export/provenanceForms.ts'
import type {
  FileListReference,
  PartQuery,
  ReportContent,
  ReportQuery,
  ReportSource,
} from '#shared/report/reportContent.ts'
import { compareReports, type ReportDifference } from '#shared/report/compareReports.ts'
import { lookOfReport, type ParsedReport, readReport, shownSources } from '#shared/report/readReport.ts'
import { reportHtml } from '#shared/report/reportHtml.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { fileListHash, filesOfResult, keptFileList } from '#core/sql/fileList.ts'
import { reportQuery } from '#shared/contract/areas/report.ts'
import type { LedgerFace } from '#core/store/ledger/ledgerEntry.ts'
import { currentAnswerHash } from './answers.ts'
import { type PartContext, type PartDeps, computePart, rangeOfRows } from './computePart.ts'
import {
  computeBoard,
  boardReportQuery,
  withPartTimeout,
  makeBoard,
  queryOfPart,
  recordedQuery,
  noteContent,
} from './boardReport.ts'
import { followedBoard } from './boardSources.ts'
import { type RunOnOriginals, originalFiles } from './originalFiles.ts'
import {
  createSourceFiles,
  hashText,
  isAnswerPath,
  ownPartOf,
  type ReportFiles,
  type SourceState,
} from './sourceFiles.ts'

/** Maximum size of a report that is read for a replay. */
export const MOST_REPORT_BYTES = 50_000_000

export interface ReportRequest {
  query: ReportQuery
  /** Id of the connection; empty for the active one. */
  connectionId: string
  /** Folder of the report, for relative paths in its query. */
  baseFolder: string
  note: string
  /** How the report says which files it was made from. */
  provenance: ProvenanceForm
  signal: AbortSignal
  who: LedgerFace
}

export interface FinishedReport {
  html: string
  title: string
  kind: ReportQuery['kind']
  sources: ReportSource[]
  warnings: readonly string[]
  /** True if a part of a board, or a file that a query would read, is not in the report. */
  isPartial: boolean
}

export interface ReplayDifference extends ReportDifference {
  why: string
  /** File that explains the difference; null if none does. */
  source: string | null
}

export interface Replay {
  differences: ReplayDifference[]
  sources: { path: string; state: SourceState }[]
  /** Number of differences with the current files; null if `differences` already lists them. */
  withFilesOfNow: number | null
  /** Why nothing can be computed from the current files, of which own datasets were removed or made anew. */
  problemNow?: string
  /** Texts of the report that no computation can confirm. */
  unverified: UnverifiedText[]
}

export interface UnverifiedText {
  /** Location in the report. */
  at: string
  why: string
}

/** A report that cannot be replayed; the message says why. */
export class ReplayError extends AppError {
  /** Sources that are missing on this machine. */
  readonly missing: readonly string[]

  constructor(message: string, missing: readonly string[] = []) {
    super('bad-input', message)
    this.missing = missing
  }
}

/** Place of the files from which a report is recomputed. */
export interface ReplayPlace {
  /** Folder of the report, for relative paths in its query. */
  baseFolder: string
  /** Id of the connection; if left out, that of the report, one of the same name, or the active one. */
  connectionId?: string | undefined
}

/** Creates reports and recomputes them. */
export interface RecordService {
  /** Returns the range that a workspace shows: the saved one, or the range of all its rows; null if there are none. */
  rangeOf(document: WorkspaceDocument, connectionId: string): TimeRange | null
  make(request: ReportRequest): Promise<FinishedReport>
  /** Builds the query for a report of a board. */
  boardQuery(name: string, document: BoardDocument, connectionId: string): ReportQuery
  /** Computes one part of a board as its report shows it. */
  boardPart(content: BoardContent, context: { connectionId: string; signal: AbortSignal }): Promise<ReportContent>
  /** Lists the missing sources of a report, as paths on this machine. */
  missingSources(html: string, place: ReplayPlace): Promise<string[]>
  replay(html: string, context: ReplayPlace & { signal: AbortSignal; who: LedgerFace }): Promise<Replay>
  files: ReportFiles
}

export interface RecordDeps extends Omit<PartDeps, 'sources'> {
  dataDir: string
  version: string
  /** Runs work on the original files of a report. */
  runOnOriginals: RunOnOriginals
  /** Time limit of a part of a board; by default five minutes. */
  partMs?: number
}

export function createRecordService({ dataDir, version, runOnOriginals, partMs, ...deps }: RecordDeps): RecordService {
  const files = createSourceFiles(deps.store, dataDir)
  const { connections } = deps.store
  const partDeps: PartDeps = { ...deps, sources: files }

  const connectionOf = (id: string) => {
    const { id: found, name } = id === '' ? connections.active() : connections.find(id)
    return { id: found, name }
  }

  async function replayWith(deps: PartDeps, recorded: OpenedReport, context: PartContext) {
    const { report, query, html, recordedSources } = recorded
    const content = await recomputeReport(deps, query, context)
    const { app: version, connection, note, fileList } = report
    const shown = { ...content, sources: recordedSources }
    const look = lookOfReport(html, hashText)
    const page = {
      kind: query.kind,
      content: shown,
      query,
      note,
      version,
      connection,
      fileList,
      hashOf: hashText,
      look,
    }
    return { content, html: reportHtml(page) }
  }

  /** Lists in a report the files of a list that is kept here. */
  function withKeptList(report: ParsedReport): ParsedReport {
    const sources = report.fileList && keptFileList(dataDir, report.fileList.sha256)
    return sources ? { ...report, sources: sources as ParsedReport['sources'] } : report
  }

  /** Opens a report with the paths that its sources have on this machine, where its connection may have another id. */
  function openHere(html: string, { connectionId: given }: ReplayPlace): OpenedReport & { connectionId: string } {
    const { report: opened, query } = openReport(html)
    const report = withKeptList(opened)
    const { id, name } = report.connection
    const all = connections.list()
    const sameConnection = all.find((each) => each.id === id) ?? all.find((each) => each.name === name)
    const connectionId = given ?? (sameConnection ?? connections.active()).id
    const sources = report.sources.map((source) => ({ ...source, path: movedPath(source.path, id, connectionId) }))
    const shown = shownSources(html)
    const recordedSources = report.sources.map((source) => ({
      ...source,
      ...(shown.get(source.path) ?? { service: '', fetchedAt: null }),
    }))
    return { html, report: { ...report, sources }, recordedSources, query, connectionId }
  }

  const rowsRangeFinder = (connectionId: string) => (document: WorkspaceDocument) =>
    rangeOfRows(partDeps, document, connectionId)

  return {
    files,
    rangeOf: (document, connectionId) =>
      document.range ?? rangeOfRows(partDeps, document, connectionOf(connectionId).id),
    async make({ query: wanted, connectionId, note, provenance, ...context }) {
      const connection = connectionOf(connectionId)
      const { query, content } = await computeNewReport(partDeps, wanted, {
        ...context,
        connectionId: connection.id,
        replayedSources: null,
      })
      const fileList = listApart(dataDir, content, provenance)
      const html = reportHtml({
        kind: query.kind,
        content,
        query,
        note,
        version,
        connection,
        fileList,
        hashOf: hashText,
      })
      files.keep(content.sources)
      const ownNames = new Set(content.sources.flatMap(({ path }) => ownPartOf(path)?.name ?? []))
      for (const name of ownNames) deps.store.ownData.noteReport(name, content.title)
      const { title, sources, warnings } = content
      const isPartial =
        query.kind === 'board' ? query.parts.some(({ kind }) => kind === 'absent') : content.isPartial === true
      return { html, title, kind: query.kind, sources: [...sources], warnings, isPartial }
    },
    boardQuery: (name, document, connectionId) =>
      boardReportQuery(
        name,
        followedBoard(deps.store.documents, document),
        rowsRangeFinder(connectionOf(connectionId).id),
      ),
    async boardPart(content, { connectionId: given, signal }) {
      if (content.kind === 'text') return noteContent(content.markdown)
      const { id: connectionId } = connectionOf(given)
      const query = queryOfPart(content, rowsRangeFinder(connectionId))
      const context = { connectionId, baseFolder: '', who: 'window', replayedSources: null } as const
      const work = (workSignal: AbortSignal) => computePart(partDeps, query, { ...context, signal: workSignal })
      // A tested portfolio or screen runs only when the user requests it, so no other part waits for it.
      const isRequested = query.kind === 'study' && countsWhenRun(query.document)
      return isRequested ? work(signal) : withPartTimeout(work, signal, partMs)
    },
    missingSources(html, place) {
      const { report } = openHere(html, place)
      const missing = report.sources.filter((source) => files.isMissing(source, place.baseFolder))
      return Promise.resolve(missing.map(({ path }) => path))
    },
    async replay(html, { signal, who, ...place }) {
      const { baseFolder } = place
      const opened = openHere(html, place)
      const { report, connectionId } = opened
      const states = await withCurrentAnswers(partDeps, await sourceStates(files, report, baseFolder), connectionId)
      const missing = states.filter(({ state }) => state === 'missing').map(({ path }) => path)
      if (missing.length > 0) throw new ReplayError(missingText(missing), missing)
      const context: PartContext = { connectionId, baseFolder, signal, who, replayedSources: report.sources }
      const changed = states.filter(({ state }) => state === 'changed')
      let failureNow: unknown = null
      const replayNow = await replayWith(partDeps, opened, { ...context, areAnswersCurrent: true }).catch(
        (thrown: unknown) => {
          if (signal.aborted || !changed.some(({ path }) => ownPartOf(path))) throw thrown
          failureNow = thrown
          return null
        },
      )
      const isListHere = report.fileList === undefined || report.sources.length > 0
      const later = replayNow && isListHere ? laterSources(replayNow.content, report) : []
      const differencesOf = ({ content, html: replayed }: Replayed, isOnOriginals: boolean) => {
        const definitions = definitionDifferences(report.definitions, content.definitions)
        const causes = isOnOriginals ? { changed: [], later: [] } : { changed, later }
        const otherVersion = report.app === version ? null : otherVersionText(report.app, version)
        const reason = reasonOf(causes, definitions, otherVersion)
        const { shown, markup } = compareReports(html, replayed)
        return [
          ...definitions,
          ...(isOnOriginals ? [] : changed.map(sourceDifference)),
          ...(isListHere ? [] : listDifference(report.fileList!, hereAs(content, connectionId, report))),
          ...shown.map((each) => ({ ...each, ...reason })),
          ...markup.map((each) => ({ ...each, ...foreignMarkup, ...(otherVersion && { why: otherVersion }) })),
        ]
      }
      const sources = states.map(({ path, state }) => ({ path, state }))
      const replayOriginals = async (laterPaths: readonly string[]): Promise<Replayed | null> => {
        const from = { files, keptFiles: deps.store.kept }
        const originals = await originalFiles(from, report.sources, changed, laterPaths)
        const work = (originalDeps: object) => replayWith({ ...partDeps, ...originalDeps }, opened, context)
        return originals && (await runOnOriginals(originals, work))
      }
      const unverifiedIn = ({ content }: Replayed) =>
        unverifiedTexts(opened, content, { version, connections: connections.list() })
      if (replayNow === null) {
        const first = await replayOriginals([])
        const alsoRead = first ? laterSources(first.content, report) : []
        const replayed = alsoRead.length > 0 ? await replayOriginals(alsoRead) : first
        if (!replayed) throw failureNow
        const problemNow = sentenceOf(failureNow)
        const differences = differencesOf(replayed, true)
        return { differences, sources, withFilesOfNow: null, problemNow, unverified: unverifiedIn(replayed) }
      }
      const unverified = unverifiedIn(replayNow)
      const currentDifferences = differencesOf(replayNow, false)
      const replayed =
        changed.length > 0 || (later.length > 0 && currentDifferences.length > 0) ? await replayOriginals(later) : null
      if (replayed === null) return { differences: currentDifferences, sources, withFilesOfNow: null, unverified }
      const differences = differencesOf(replayed, true)
      return { differences, sources, withFilesOfNow: currentDifferences.length, unverified }
    },
  }
}

const sentenceOf = (thrown: unknown): string =>
  (thrown instanceof AppError ? thrown.detail : null) ?? (thrown instanceof Error ? thrown.message : String(thrown))

/** A report that was computed again. */
interface Replayed {
  content: ReportContent
  html: string
}

/** A report with its sources as they are on this machine, and as its table shows them. */
interface OpenedReport {
  html: string
  report: ParsedReport
  query: ReportQuery
  recordedSources: ReportSource[]
}

/** Says that another version made a report, by its own word; an editor may have written that. */
const otherVersionText = (app: string, version: string): string =>
  `the report says that Perpscope ${app} made it; this is ${version}, which may round, write or draw differently`

const foreignMarkup = {
  why: 'Perpscope does not write this: the report was edited or made by another program',
  source: null,
}

/**
 * Lists the texts of a report that a replay takes over from it: notes, and where its files came from, unless this
 * machine has them from the same place.
 */
function unverifiedTexts(
  { report, recordedSources }: OpenedReport,
  { parts, sources }: ReportContent,
  here: { version: string; connections: readonly { id: string; name: string }[] },
): UnverifiedText[] {
  const { app, note, connection } = report
  const known = new Map(sources.map((source) => [source.path, source]))
  const shownHere = report.fileList ? [] : recordedSources
  const unknown = shownHere.filter(({ service, fetchedAt }, at) => {
    const source = known.get(report.sources[at].path)
    return source?.service !== service || source.fetchedAt !== fetchedAt
  })
  const isFromHere = here.connections.some(({ id, name }) => id === connection.id && name === connection.name)
  const own = parts.flatMap((part) =>
    part.kind === 'note' || (part.kind === 'table' && part.isOwnText) ? [part.title] : [],
  )
  return [
    ...[...(note.trim() === '' ? [] : ['Note']), ...own].map((at) => ({ at, why: 'text of the author of the report' })),
    ...(unknown.length > 0 ? [{ at: 'Sources', why: unknownOrigin(unknown.length) }] : []),
    ...(isFromHere && app === here.version ? [] : [{ at: 'Sources', why: unknownMaker }]),
  ]
}

const unknownOrigin = (files: number): string =>
  `service and time of fetching of ${plainPlural(files, 'file')}, which this machine does not know`
const unknownMaker = 'version of Perpscope and connection, as the report states them'

function openReport(html: string): { report: ParsedReport; query: ReportQuery } {
  const report = readReport(html)
  if ('problem' in report) throw new ReplayError(`The file ${report.problem}`)
  const query = reportQuery.safeParse(report.query)
  if (!query.success) throw new ReplayError('The file is damaged: its query is not valid.')
  return { report, query: query.data as ReportQuery }
}

function missingText(missing: readonly string[]): string {
  const more = missing.length > 10 ? ` and ${missing.length - 10} more` : ''
  const isServed = missing.some((path) => path.startsWith('record/'))
  const hint = isServed
    ? ' Answers of the portfolio service are kept only in the data folder where a report was made.'
    : ''
  return `Not cached: ${missing.slice(0, 10).join(', ')}${more}.${hint}`
}

/** Returns the path that a cached file of connection `from` would have under connection `to`. */
function movedPath(path: string, from: string, to: string): string {
  const [folder, owner, ...rest] = path.split('/')
  if (folder !== 'files' || connectionOfOwner(owner) !== from) return path
  return [folder, isComputedOwner(owner) ? computedOwner(to) : to, ...rest].join('/')
}

/** Recomputes a report; throws if a part of a board can no longer be computed. */
function recomputeReport(deps: PartDeps, query: ReportQuery, context: PartContext): Promise<ReportContent> {
  const part = (each: PartQuery) => computePart(deps, each, context)
  return query.kind === 'board' ? computeBoard(query, part) : part(query)
}

/** Computes a new report; parts of a board that cannot be computed are marked as absent in its query. */
async function computeNewReport(
  deps: PartDeps,
  query: ReportQuery,
  context: PartContext,
): Promise<{ query: ReportQuery; content: ReportContent }> {
  const part = (each: PartQuery) => computePart(deps, each, context)
  if (query.kind === 'board') return makeBoard(query, part, context.signal)
  const content = await part(query)
  return { query: recordedQuery(query, content), content }
}

interface ComparedSource {
  path: string
  was: string
  state: SourceState
  now: string | null
}

/** Files read at a time, so that the waits for the disk overlap and few are in memory. */
const FILES_AT_ONCE = 8

async function sourceStates(
  files: ReportFiles,
  { sources }: ParsedReport,
  baseFolder: string,
): Promise<ComparedSource[]> {
  const states: ComparedSource[] = []
  const rest = sources.entries()
  const readNext = async () => {
    for (const [index, source] of rest)
      states[index] = { path: source.path, was: source.sha256, ...(await files.stateOf(source, baseFolder)) }
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, readNext))
  return states
}

/** Marks the responses of which another version is stored now. */
const withCurrentAnswers = (
  deps: PartDeps,
  states: readonly ComparedSource[],
  connectionId: string,
): Promise<ComparedSource[]> =>
  Promise.all(
    states.map(async (source) => {
      if (source.state !== 'same' || !isAnswerPath(source.path)) return source
      const now = await currentAnswerHash(deps, source, connectionId)
      return now === null || now === source.was ? source : { ...source, state: 'changed', now }
    }),
  )

const sourceDifference = ({ path, was, now }: ComparedSource): ReplayDifference => ({
  at: `Sources › ${path} › SHA-256`,
  was,
  now,
  why: 'the file changed',
  source: path,
})

/** Keeps the list of the files of a query that outnumber its rows, which the report then names; null for other reports. */
function listApart(
  dataDir: string,
  { sources, resultRows }: ReportContent,
  form: ProvenanceForm,
): FileListReference | undefined {
  if (resultRows === undefined) return undefined
  const files = filesOfResult(dataDir, { sources: listedSources(sources), rows: resultRows }, form)
  return 'fileList' in files ? files.fileList : undefined
}

const listedSources = (sources: readonly ParsedReport['sources'][number][]): ParsedReport['sources'] =>
  sources.map(({ path, sha256 }) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1))

/** Returns the hash of the files that were read now, by their paths where the report was made. */
const hereAs = ({ sources }: ReportContent, connectionId: string, { connection }: ParsedReport): string =>
  fileListHash(
    listedSources(sources.map((source) => ({ ...source, path: movedPath(source.path, connectionId, connection.id) }))),
  )

/** Compares the files of a report whose list this machine lacks with those that were read now. */
const listDifference = ({ sha256: was, path }: FileListReference, now: string): ReplayDifference[] =>
  was === now
    ? []
    : [
        {
          at: 'Sources › list of files › SHA-256',
          was,
          now,
          why: `the files differ; ${path} is not in this data folder, so it is not known which (a report with --provenance full lists them itself)`,
          source: null,
        },
      ]

/** Lists the definitions that have a different version now, or that only the report or only this program has. */
function definitionDifferences(
  was: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): ReplayDifference[] {
  const ids = [...new Set([...Object.keys(was), ...Object.keys(now)])].sort()
  const versionOf = (versions: Readonly<Record<string, number>>, id: string) =>
    Object.hasOwn(versions, id) ? versions[id] : null
  return ids.flatMap((id) => {
    const [then, today] = [versionOf(was, id), versionOf(now, id)]
    if (then === today) return []
    const why = `the definition ${id} changed: version ${then ?? 'none'} then, ${today ?? 'none'} now`
    return [
      {
        at: `Definitions › ${id}`,
        was: then === null ? null : String(then),
        now: today === null ? null : String(today),
        why,
        source: null,
      },
    ]
  })
}

/** Lists the cached files that were read now, but not when the report was made. */
function laterSources({ sources }: ReportContent, report: ParsedReport): string[] {
  const known = new Set(report.sources.map(({ path }) => path))
  return sources.flatMap(({ path }) => (path.startsWith('files/') && !known.has(path) ? [path] : []))
}

function reasonOf(
  { changed, later }: { changed: readonly ComparedSource[]; later: readonly string[] },
  definitions: readonly ReplayDifference[],
  otherVersion: string | null,
): Pick<ReplayDifference, 'why' | 'source'> {
  const andMore = (count: number) => (count > 1 ? ` and ${count - 1} more` : '')
  if (changed.length > 0) {
    const [{ path }] = changed
    return { why: `changed: ${path}${andMore(changed.length)}`, source: path }
  }
  if (later.length > 0) return { why: `cached since: ${later[0]}${andMore(later.length)}`, source: later[0] }
  const reasons = [...definitions.map(({ why }) => why), ...(otherVersion ? [otherVersion] : [])]
  if (reasons.length > 0) return { why: reasons.join('; '), source: null }
  return {
    why: 'the files and the definitions are the same: the report was edited, or something else that it reads (such as the clock or the number of trials) has changed',
    source: null,
  }
}
