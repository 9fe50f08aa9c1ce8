import { parseInterval } from '#shared/time.ts'
import { functionNames, resampleMethods } from './formulaNames.ts'
import { printName } from './printFormula.ts'
import { didYouMean } from './suggestName.ts'

/** Builds the message for a name that is not the name of a series. */
export function missingSeriesMessage(name: string, known: Iterable<string>): string {
  return `There is no series ${printName(name)}.${hintOf(name, known)}`
}

function hintOf(name: string, known: Iterable<string>): string {
  const isIntervalOrMethod = parseInterval(name) !== null || resampleMethods.some((method) => method === name)
  if (isIntervalOrMethod) return ` Intervals and methods go in single quotes: '${name}'.`
  if (functionNames.includes(name)) return ` ${name} is a function: it needs parentheses.`
  return didYouMean(name, known)
}
