import type { FormulaError } from '#shared/formula/formulaError.ts'
import { StudyError } from './studyError.ts'

/** Builds the error for a study with an invalid formula; it names the field and the problem. */
export function formulaRefusal(field: string, formula: string, error: FormulaError): StudyError {
  const excerpt = formula.slice(error.start, error.end).trim()
  const placeText = excerpt === '' || namesExcerpt(error.message, excerpt) ? '' : ` (at ${excerpt})`
  const ending = placeText === '' && error.message.endsWith('?') ? '' : '.'
  return new StudyError(field, `${error.message.replace(/\.$/, '')}${placeText}${ending}`)
}

/**
 * Tells whether a message names a part of a formula at its start, at the end of a sentence or as a column. Elsewhere, a
 * part such as “a” may be an ordinary word of the message.
 */
const namesExcerpt = (message: string, excerpt: string): boolean =>
  message.startsWith(`${excerpt} `) ||
  [` ${excerpt}.`, ` ${excerpt}?`, `column ${excerpt} `].some((named) => message.includes(named))
