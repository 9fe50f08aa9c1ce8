import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { signatureOf } from '#shared/formula/formulaFunction.ts'
import { ownSignature, type OwnFunction } from '#shared/formula/ownFunctionShape.ts'
import type { Completion, Completions } from '../editor/sqlCompletion.ts'

/** Names of all documented columns, as they are written in formulas over one symbol. */
export const offeredColumns: readonly string[] = metricDatasets.flatMap(({ id, columns }) =>
  columns.map(({ name }) => `${id}.${name}`),
)

const MOST_OFFERED = 9
const lastWordPattern = /[\p{L}_][\p{L}\p{N}_.]*$/u
const openTextPattern = /'[^']*$/

/** Lists names and functions that start with the word before the cursor, then those that contain it. */
export function completionsAt(
  formula: string,
  cursor: number,
  series: readonly { name: string; label: string }[],
  customFunctions: readonly OwnFunction[] = [],
): Completions {
  const before = formula.slice(0, cursor)
  const word = lastWordPattern.exec(before)?.[0] ?? ''
  const start = cursor - word.length
  const noCompletion = { start, end: cursor, options: [] }
  const isFinished = series.some(({ name }) => name === word)
  if (word === '' || isFinished || openTextPattern.test(before)) return noCompletion
  const wanted = word.toLowerCase()
  const all: Completion[] = [
    ...series.map(({ name, label }) => ({ text: name, title: name, hint: label })),
    ...customFunctions.map((each) => ({ text: `${each.name}(`, title: ownSignature(each), hint: each.formula })),
    ...formulaFunctions.map((each) => ({ text: `${each.name}(`, title: signatureOf(each), hint: each.description })),
  ]
  const rank = ({ title }: Completion) => (title.toLowerCase().startsWith(wanted) ? 0 : 1)
  const options = all.filter(({ title, text }) => title.split('(')[0].toLowerCase().includes(wanted) && text !== word)
  return { start, end: cursor, options: options.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_OFFERED) }
}
