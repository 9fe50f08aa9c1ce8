import { AppError } from './errors.ts'
import { NoRowsError, PanelError } from '../lab/panel.ts'
import { StudyError } from '../lab/studyError.ts'

/** Why a study has no result: `study` for an invalid document or formula, `panel` for unusable rows. */
export interface StudyRefusal {
  refused: 'study' | 'panel'
  message: string
  /** Field of an invalid document. */
  field?: string
  /** True if the rows are not in the cache. */
  isNotCached?: true
}

/** Describes the refusal of a study or its rows, so that it can leave a thread; null for any other error. */
export function refusalOf(thrown: unknown): StudyRefusal | null {
  if (thrown instanceof StudyError) return { refused: 'study', message: thrown.message, field: thrown.field }
  if (!(thrown instanceof PanelError)) return null
  return { refused: 'panel', message: thrown.message, ...(thrown instanceof NoRowsError && { isNotCached: true }) }
}

/** Recreates the error of a refusal. */
export function refusalError({ refused, message, field = '', isNotCached }: StudyRefusal): StudyError | PanelError {
  if (refused === 'study') return StudyError.withMessage(field, message)
  return isNotCached ? new NoRowsError(message) : new PanelError(message)
}

export async function answerOrRefusal<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer | StudyRefusal> {
  try {
    return await work()
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    if (refusal) return refusal
    throw thrown
  }
}

/** Turns the refusal of a study or its rows into `bad-input`, whose message the window shows at its field. */
export function badInput(thrown: unknown): unknown {
  const refusal = refusalOf(thrown)
  return refusal ? new AppError('bad-input', refusal.message, { cause: thrown, field: refusal.field }) : thrown
}

export async function asBadInput<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (thrown) {
    throw badInput(thrown)
  }
}
