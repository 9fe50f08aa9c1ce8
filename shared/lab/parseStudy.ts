import { isRecord } from '#shared/schemas/isRecord.ts'
import { type AnyDocument, kindFacts, type LabKind, labKinds, type Study, studyKinds } from './kinds.ts'
import { readFields } from './kinds/field.ts'
import type { BlendStudy } from './kinds/blend/fields.ts'
import { oneOf } from './kinds/fieldTypes.ts'
import type { PortfolioStudy } from './kinds/portfolio/fields.ts'
import { StudyError } from './studyError.ts'
import { studyRange } from './studyRange.ts'

/** Says where the rows come from: the default formulas of rows from the cache differ, and such rows need a range. */
interface RowsFrom {
  fromCache: boolean
}

/**
 * Validates a document and fills in its defaults; throws a `StudyError` that names the first invalid field.
 * @param allowed kinds that the document may have
 */
export function parseDocument(
  document: unknown,
  { fromCache }: RowsFrom,
  allowed: readonly LabKind[] = labKinds,
): AnyDocument {
  if (!isRecord(document)) throw new StudyError('study', 'must be a JSON object.')
  for (const needed of ['version', 'kind'])
    if (document[needed] === undefined) throw new StudyError(needed, 'is needed.')
  oneOf([1]).read(document.version, 'version')
  // A kind that does not exist is told all kinds, also those that another reader takes.
  const kind = oneOf(labKinds).read(document.kind, 'kind')
  const { fields, fillIn } = kindFacts(oneOf(allowed).read(kind, 'kind'))
  const study = readFields(document, fields, { fromCache }) as unknown as AnyDocument
  checkRange(study, fromCache)
  return fillIn ? fillIn(study) : study
}

export const parseStudy = (document: unknown, rows: RowsFrom): Study =>
  parseDocument(document, rows, studyKinds) as Study

export const parsePortfolioStudy = (document: unknown, rows: RowsFrom): PortfolioStudy =>
  parseDocument(document, rows, ['portfolio']) as PortfolioStudy

export const parseBlend = (document: unknown): BlendStudy =>
  parseDocument(document, { fromCache: true }, ['blend']) as BlendStudy

/** Checks that the range is not empty, and that it has a start and an end if the rows come from the cache. */
function checkRange(study: AnyDocument, fromCache: boolean): void {
  const { startMs, endMs } = studyRange({ interval: '1d', ...study })
  if (!(endMs > startMs)) throw new StudyError('end', 'must be after start.', 'start')
  if (!fromCache || study.kind === 'blend' || !study.source) return
  if (study.start === null) throw new StudyError('start', 'is needed if the rows come from the cache.')
  if (study.end === null) throw new StudyError('end', 'is needed if the rows come from the cache.')
}
