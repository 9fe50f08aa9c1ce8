import { FormulaError } from '#shared/formula/formulaError.ts'
import { tokensOf } from '#shared/formula/tokens.ts'
import { formulaRefusal } from '../../formulaRefusal.ts'
import type { FieldType } from '../field.ts'
import { formula } from '../fieldTypes.ts'
import { StudyError } from '../../studyError.ts'

/** Name that stands for the column in a template. */
export const COLUMN_NAME = 'x'

/** Finds where `x` stands in a template: not in quotes, not before a bracket, and not within a longer name. */
function placesOfColumn(template: string): number[] {
  const tokens = tokensOf(template)
  return tokens.flatMap(({ kind, text, start }, at) =>
    kind === 'name' && text === COLUMN_NAME && tokens[at + 1].text !== '(' ? [start] : [],
  )
}

/** Puts a column, in brackets, in place of every `x` of a template. */
export function templateFiller(template: string): (column: string) => string {
  const parts: string[] = []
  let from = 0
  for (const place of placesOfColumn(template)) {
    parts.push(template.slice(from, place))
    from = place + COLUMN_NAME.length
  }
  parts.push(template.slice(from))
  return (column) => parts.join(`(${column})`)
}

export const templateType: FieldType<string> = {
  ...formula,
  read(value, path) {
    const template = formula.read(value, path)
    if (countColumns(template, path) > 0) return template
    throw new StudyError(path, `has no ${COLUMN_NAME}, which stands for the column: write rank(x, 288), for example.`)
  },
}

function countColumns(template: string, path: string): number {
  try {
    return placesOfColumn(template).length
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    throw formulaRefusal(path, template, error)
  }
}
