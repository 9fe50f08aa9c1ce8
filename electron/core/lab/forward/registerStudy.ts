import type { Expectation } from '#shared/contract/areas/ledger.ts'
import { checkKill, parseKill } from '#shared/lab/forward/killCriterion.ts'
import { isBlendDocument, isPortfolioDocument } from '#shared/lab/kinds.ts'
import { parseBlend, parsePortfolioStudy, parseStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace, RegisteredEntry } from '#core/store/ledger/ledgerEntry.ts'
import { documentHash, familyOf, type RecordedStudy } from '#core/store/ledger/studyIdentity.ts'

export interface RegisteredDocument {
  document: unknown
  /** True if the document will be run on a panel in place of its source. */
  onPanel: boolean
}

/** What is expected of a document, written down before its first run. */
export interface Registration extends RegisteredDocument {
  /** `up`, `down`, `none`, or the expectation in words. */
  expect: string
  /** Kill criterion as it is written; null for none. */
  kill: string | null
  note: string | null
}

const MOST_TEXT = 1000

/** Records a registration; throws a `StudyError` for an invalid document or criterion. */
export function registerStudy(ledger: Ledger, registration: Registration, who: LedgerFace): RegisteredEntry {
  const study = registeredStudy(registration)
  const kill = registration.kill === null ? null : parseKill(registration.kill)
  if (kill) checkKill(kill, study.kind)
  const expect = textOf('expect', registration.expect)
  if (expect === null) throw new StudyError('expect', 'must not be empty. Write up, down, none or a text.')
  const note = textOf('note', registration.note ?? '')
  const [entry] = ledger.append(
    [{ event: 'registered', documentHash: documentHash(study), family: familyOf(study), expect, kill, note }],
    who,
  )
  return entry as RegisteredEntry
}

/** Finds what was registered of a document; null if the document is invalid. */
export function expectationOf({ tables }: Ledger, document: RegisteredDocument): Expectation | null {
  try {
    const hash = documentHash(registeredStudy(document))
    const sequence = tables.registrationOf(hash)
    const entry = sequence === null ? null : tables.bySequence(sequence)?.entry
    const registered = entry?.event === 'registered' ? entry : null
    return {
      registered: registered && {
        ...{ sequence: registered.sequence, expect: registered.expect, kill: registered.kill, note: registered.note },
      },
      wasRun: tables.isRecorded(hash),
    }
  } catch (thrown) {
    if (thrown instanceof StudyError) return null
    throw thrown
  }
}

function registeredStudy({ document, onPanel }: RegisteredDocument): RecordedStudy {
  if (isBlendDocument(document)) return parseBlend(document)
  const source = (document as { source?: unknown } | null)?.source
  const fromCache = !onPanel && source !== undefined && source !== null
  return isPortfolioDocument(document)
    ? parsePortfolioStudy(document, { fromCache })
    : parseStudy(document, { fromCache })
}

/** Trims a text; null if nothing is left. */
function textOf(field: string, text: string): string | null {
  const trimmed = text.trim()
  if (trimmed.length > MOST_TEXT)
    throw new StudyError(field, `has ${trimmed.length} characters, more than ${MOST_TEXT}.`)
  return trimmed === '' ? null : trimmed
}
