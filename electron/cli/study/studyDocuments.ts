import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import { documentHash, type RecordedStudy } from '#core/store/ledger/studyIdentity.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { kindSchema, documentSchema, kindTerms } from '#shared/lab/describeFields.ts'
import type { WrittenStudy } from '#shared/lab/kinds/field.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { leadingSymbol, symbolsWithCandles, type ReadyPlace } from '#shared/lab/kinds/readyGround.ts'
import { type AnyDocument, kindFacts, type LabKind, labKinds } from '#shared/lab/kinds.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import { recipeSentences, sentenceText } from '#shared/lab/recipe.ts'
import { commentedDocument, studyTemplate } from '#shared/lab/studyTemplate.ts'
import { exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { tableLines } from '../print.ts'
import { plainBlanks } from '../sheetLines.ts'
import { runOrPrintRefusal } from '../studyRefusal.ts'
import { studyText } from '../text/commands.ts'
import type { newOptions } from './studyOptions.ts'

/** Prints the template of a kind of document. */
export async function printTemplate(invocation: Invocation<typeof newOptions>): Promise<ExitStatus> {
  const { out, args, options } = invocation
  const kind = args[0] as LabKind
  const place = await placeOf(invocation, options.exchange?.[0])
  const document = studyTemplate(kind, place)
  if (options.exchange && isRecord(document.source)) document.source.exchanges = options.exchange
  if (place.venue === null) out.note(studyText.new.noVenue)
  out.result(document, () => commentedDocument(kind, document))
  return exit.done
}
/** The first venue and its symbols, as far as they are known without a connection or a network too. */
async function placeOf(
  { client, connection, signal }: Pick<Invocation, 'client' | 'connection' | 'signal'>,
  chosen: string | undefined,
): Promise<ReadyPlace> {
  const core = await client()
  try {
    const { id, builtIn } = await findConnection(core, connection)
    const nowMs = (await core.call('discovery.dataUntil', { connectionId: id })) ?? Date.now()
    const venue = chosen ?? (await core.call('connections.venues', { id })).at(0)?.id ?? null
    if (venue === null) return { venue, nowMs }
    const query = { connectionId: id, exchange: venue, refresh: false }
    const { symbols } = await core.call('discovery.symbols', query, { signal }).catch(() => ({ symbols: [] }))
    signal.throwIfAborted()
    const series = builtIn ? null : await core.call('coverage.cachedSeries', { connectionId: id }, { signal })
    const cached = symbolsWithCandles(series, venue)
    return { venue, nowMs, listed: symbols, cached, leader: leadingSymbol(symbols) }
  } catch (thrown) {
    if (connection !== undefined || !(thrown instanceof Failure)) throw thrown
    return { venue: chosen ?? null, nowMs: Date.now() }
  }
}

/** Prints the schema of a kind of document, or of all. */
export function printSchema({ out, args }: Pick<Invocation, 'out' | 'args'>): ExitStatus {
  const kind = args.at(0) as LabKind | undefined
  const schema = kind === undefined ? documentSchema() : kindSchema(kind)
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `perpscope:study${kind === undefined ? '' : `/${kind}`}?version=1`,
    ...schema,
  }
  out.result(document, () =>
    kind === undefined
      ? tableLines([['KIND', 'QUESTION'], ...labKinds.map((each) => [each, kindFacts(each).description])])
      : [kindFacts(kind).description, '', ...kindTerms(kind).flatMap(([path, term]) => [path, `    ${term}`])],
  )
  return exit.done
}
/** Prints what a document does, in sentences; a wrong document is refused. */
export const explainStudy = (invocation: Invocation): Promise<ExitStatus> =>
  runOrPrintRefusal(invocation, () => explain(invocation))

async function explain(invocation: Pick<Invocation, 'app' | 'args' | 'out'>): Promise<ExitStatus> {
  const {
    document,
    study: { kind },
  } = await readNamed(invocation, invocation.args[0])
  const sentences = recipeSentences(document).map((sentence) => ({
    ...sentence,
    text: plainBlanks(sentenceText(sentence)),
  }))
  invocation.out.result({ version: 1, kind, sentences }, () =>
    sentences.filter(({ parts }) => parts.length > 0).map((sentence) => sentence.text),
  )
  return exit.done
}

/** A document by its file or by the id of its run, with all defaults filled in, and its last result if it has run. */
export interface NamedDocument {
  /** Path or id, as typed. */
  word: string
  document: WrittenStudy
  study: AnyDocument
  result: LabResult | null
}

/** Reads a document from a file, or from a run whose id is given; throws a `StudyError` if it is wrong. */
export async function readNamed({ app }: Pick<Invocation, 'app'>, word: string): Promise<NamedDocument> {
  const path = resolve(word)
  const { studyRuns } = await app()
  if (/^[0-9a-f]{12}$/.test(word) && !existsSync(path)) {
    const { study, result } = studyRuns.read(word)
    return { word, document: study as unknown as WrittenStudy, study: study as AnyDocument, result }
  }
  const document = readStudyDocument(path)
  const study = parseDocument(document, { fromCache: isRecord(document) && isRecord(document.source) })
  const hash = documentHash(study as RecordedStudy)
  const run = studyRuns.list().find((each) => each.documentHash === hash)
  return { word, document: document as WrittenStudy, study, result: run ? studyRuns.read(run.id).result : null }
}
