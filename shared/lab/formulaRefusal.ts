import type { FormulaError } from '#shared/formula/formulaError.ts'
import { cutWords } from '#shared/units/cutWords.ts'
import { StudyError } from './studyError.ts'

/** Longest part of a formula that a message repeats; of a longer one, its start is enough to find it. */
const LONGEST_EXCERPT = 80

/** Builds the error for a study with an invalid formula; it names the field and the problem. */
export function formulaRefusal(field: string, formula: string, error: FormulaError): StudyError {
  const excerpt = cutWords(formula.slice(error.start, error.end).trim())
  const placeText = excerpt === '' || namesExcerpt(error.message, excerpt) ? '' : ` (at ${shortened(excerpt)})`
  const ending = placeText === '' && error.message.endsWith('?') ? '' : '.'
  return new StudyError(field, `${error.message.replace(/\.$/, '')}${placeText}${ending}`)
}

const shortened = (excerpt: string): string =>
  excerpt.length <= LONGEST_EXCERPT ? excerpt : `${excerpt.slice(0, LONGEST_EXCERPT)}…`

/**
 * Tells whether a message names a part of a formula at its start, at the end of a sentence or as a column. Elsewhere, a
 * part such as “a” may be an ordinary word of the message.
 */
const namesExcerpt = (message: string, excerpt: string): boolean =>
  message.startsWith(`${excerpt} `) ||
  [` ${excerpt}.`, ` ${excerpt}?`, `column ${excerpt} `].some((named) => message.includes(named))
