import { Readable } from 'node:stream'
import type { ExportResult } from '#shared/contract/areas/series.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { SaveFile } from '#core/ports.ts'
import type { UnreadSlice } from '#core/series/readerTask.ts'
import type { ReusableThread } from '#core/threads/reusableThreads.ts'
import { type SeriesFiles, stepMsOf, messageWithoutFolder } from '#core/series/seriesFiles.ts'
import type { SeriesDeps } from '#core/series/seriesDeps.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { type ExportRequest, piecesOf, prepareExport, type PreparedExport } from './exportPlan.ts'
import type { ExportPart, ExportPiece, ExportTask } from './exportTask.ts'
import { cutText, LONGEST_FILE_NAME } from '#shared/units/fileNames.ts'
import { provenanceOf } from './provenance.ts'

interface ExportContext {
  save: SaveFile
  signal: AbortSignal
  progress(progress: Progress): void
  version: string
}

// The entry is a TypeScript file where the sources run unbuilt, as in tests, and a JavaScript file in the bundle.
const entry = new URL(import.meta.url.endsWith('.ts') ? './exportWorker.ts' : './exportWorker.js', import.meta.url)

const mimeTypes = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' }

/** Writes the rows of series and formulas as one file; threads encode it in pieces, and the host receives a stream. */
export async function exportSeries(
  deps: SeriesDeps,
  request: ExportRequest,
  context: ExportContext,
): Promise<ExportResult | null> {
  const { store, clock } = deps
  const prepared = await prepareExport(deps, request, context.signal)
  const { plan, sources, columns, unitWarnings, modelledTimes } = prepared
  sources.forEach(deps.touch)
  const writtenFacts: WrittenFacts = { rows: 0, duplicates: 0, unread: [], notes: [] }
  const provenance = () =>
    provenanceOf({ store, version: context.version, nowMs: clock.nowMs() }, sources, plan.range, {
      format: plan.format,
      start: new Date(plan.range.startMs).toISOString(),
      end: new Date(plan.range.endMs).toISOString(),
      zone: plan.format === 'csv' ? plan.zone : 'UTC',
      ...(plan.format === 'csv' && { text: plan.text }),
      rows: writtenFacts.rows,
      duplicatesLeftOut: writtenFacts.duplicates,
      columns,
      ...(unitWarnings.length > 0 && { unitWarnings }),
      ...(modelledTimes.length > 0 && { modelledTimes }),
      ...(writtenFacts.notes.length > 0 && { notes: writtenFacts.notes }),
      unread: writtenFacts.unread.map((each) => messageWithoutFolder(store, each).message),
    })
  const name = fileNameOf(prepared)
  const companion =
    plan.format === 'csv'
      ? { suffix: '.provenance.json', type: 'application/json', open: () => Readable.from([provenance()]) }
      : undefined
  const saved = await context.save({ name, type: mimeTypes[plan.format], ...(companion && { companion }) }, () =>
    bytesOf(deps, prepared, writtenFacts, provenance, context),
  )
  return (
    saved && {
      ...saved,
      rows: writtenFacts.rows,
      duplicates: writtenFacts.duplicates,
      files: new Set(sources.flatMap(({ slicesToRead }) => slicesToRead.map(({ file }) => file.sha256))).size,
      unread: writtenFacts.unread.map((each) => messageWithoutFolder(store, each)),
      columns: columns.map(({ label, unit }) => ({ label, unit })),
      unitWarnings,
      modelledTimes,
      notes: writtenFacts.notes,
    }
  )
}

/** Facts about the rows written so far. */
interface WrittenFacts {
  rows: number
  duplicates: number
  unread: UnreadSlice[]
  notes: string[]
}

async function* bytesOf(
  deps: SeriesDeps,
  { plan, sources }: PreparedExport,
  writtenFacts: WrittenFacts,
  provenance: () => string,
  { signal, progress }: ExportContext,
): AsyncGenerator<Uint8Array> {
  await deps.reader.settle(plan, signal)
  const totalRows = estimateRows(deps, sources.slice(0, plan.tables.length))
  const pieces = piecesOf(plan, totalRows / (plan.range.endMs - plan.range.startMs))
  // The pieces of a CSV are independent, so two threads share them; formulas, though, would be computed twice.
  const isShared = plan.format === 'csv' && plan.formulas.length === 0 && pieces.length > 1
  // The row groups of a Parquet file must be written in order.
  const piecesAhead = plan.format === 'csv' ? PIECES_AHEAD : 1
  const threads = Array.from({ length: isShared ? 2 : 1 }, () => takeThread(deps))
  let isComplete = false
  try {
    const heads = await Promise.all(threads.map((thread) => thread.run({ step: 'open', plan }, signal)))
    writtenFacts.notes.push(...(heads[0].notes ?? []))
    yield* heads[0].bytes
    for await (const { bytes, rows, duplicates, unread } of encodedPieces(threads, pieces, piecesAhead, signal)) {
      writtenFacts.rows += rows
      writtenFacts.duplicates += duplicates
      writtenFacts.unread.push(...unread)
      progress({ done: writtenFacts.rows, total: Math.max(totalRows, writtenFacts.rows), message: 'rows written' })
      yield* bytes
    }
    const finish = { step: 'finish', provenance: provenance() } as const
    const [end] = await Promise.all(threads.map((thread) => thread.run(finish, signal)))
    isComplete = true
    yield* end.bytes.filter(({ length }) => length > 0)
  } finally {
    await Promise.all(threads.map((thread) => thread.release(isComplete)))
  }
}

type ExportThread = ReusableThread<ExportTask, ExportPart>

const takeThread = ({ threads }: SeriesDeps): ExportThread =>
  threads.take<ExportTask, ExportPart>(entry, { perThread: PIECES_AHEAD })

/**
 * Maximum number of encoded pieces of a CSV that a thread may have waiting for the writer. A read of 2 million cells
 * makes 8 pieces, and the writer takes 8 pieces of one thread, then 8 of the other. A thread with room for 5 pieces
 * rarely has to stop while the writer takes the other thread's pieces.
 */
const PIECES_AHEAD = 5

/** Encodes pieces and yields them in order, and reuses their buffers. Pieces of the same read go to the same thread. */
async function* encodedPieces(
  threads: readonly ExportThread[],
  pieces: readonly ExportPiece[],
  piecesAhead: number,
  signal: AbortSignal,
): AsyncGenerator<ExportPart> {
  const threadByPiece = assignThreads(pieces, threads.length)
  const partByPiece = new Map<number, Promise<ExportPart>>()
  const lastRequested = threads.map(() => -1)
  const requestNext = (thread: number, buffers: SharedArrayBuffer[]) => {
    const next = threadByPiece.indexOf(thread, lastRequested[thread] + 1)
    if (next < 0) return
    lastRequested[thread] = next
    const part = threads[thread].run({ step: 'part', ...pieces[next], buffers }, signal)
    // The promise is awaited later; without a handler, an earlier failure would count as unhandled.
    part.catch(() => {})
    partByPiece.set(next, part)
  }
  for (const thread of threads.keys()) for (let count = 0; count < piecesAhead; count++) requestNext(thread, [])
  for (const index of pieces.keys()) {
    const part = await partByPiece.get(index)!
    partByPiece.delete(index)
    yield part
    // The consumer has asked for the next part, so it no longer needs these bytes.
    requestNext(
      threadByPiece[index],
      part.bytes.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof SharedArrayBuffer),
    )
  }
}

/**
 * Assigns the pieces to the threads in turn; pieces that are read together go to the same thread.
 * @returns the thread of each piece
 */
function assignThreads(pieces: readonly ExportPiece[], threadCount: number): number[] {
  let ranges = -1
  return pieces.map(({ read }, index) => {
    if (pieces[index - 1]?.read !== read) ranges++
    return ranges % threadCount
  })
}

function estimateRows({ store }: SeriesDeps, sources: readonly SeriesFiles[]): number {
  const rows = sources.map(({ series, slices }) => {
    const stepMs = stepMsOf(series)
    return slices.reduce((sum, { file, startMs, endMs }) => {
      const facts = stepMs === null ? store.files.facts(series, file.period) : null
      const rowsPerMs = stepMs === null ? (facts?.rows ?? 0) / ((file.endDay - file.startDay) * MS_PER_DAY) : 1 / stepMs
      return sum + rowsPerMs * (endMs - startMs)
    }, 0)
  })
  return Math.round(Math.max(0, ...rows))
}

/** Returns a file name that describes the content. */
function fileNameOf({ plan, sources: [first] }: PreparedExport): string {
  const { dataset, exchange, symbol, interval } = first.series
  const days = [plan.range.startMs, plan.range.endMs - 1].map((timeMs) => new Date(timeMs).toISOString().slice(0, 10))
  const andMore = plan.tables.length + plan.formulas.length > 1 ? ['and-more'] : []
  const nameWith = (symbolText: string) => {
    const nameTexts = [dataset, exchange, symbolText, interval, ...andMore, ...new Set(days)].filter(
      (text) => text !== '',
    )
    return `${nameTexts.join('_').replace(/[^\p{L}\p{N}_.-]+/gu, '-')}.${plan.format}`
  }
  // The symbol is shortened, because a host would cut off the end of a longer name, and with it part of the days.
  const excess = nameWith(symbol).length - LONGEST_FILE_NAME
  return excess <= 0 ? nameWith(symbol) : nameWith(cutText(symbol, Math.max(0, symbol.length - excess)))
}
