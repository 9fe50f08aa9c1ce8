import {
  isRecord,
  needed,
  optional,
  type Reader,
  readFields,
  repeatableListOf,
  finiteNumber,
  text,
  wholeNumber,
} from '../documentFields.ts'
import { StudyError } from '../studyDocument.ts'
import type { OverfittingInput } from './overfitting.ts'
import { evenBlocks, numberFrom } from './parsePortfolioStudy.ts'

const returnsByName: Reader = (value, path) => {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    throw new StudyError(path, 'must be an object of lists of daily returns.')
  }
  const readReturns = repeatableListOf(finiteNumber)
  const entries = Object.entries(value).map(
    ([name, returns]) => [name, readReturns(returns, `${path}.${name}`)] as const,
  )
  const [[, firstReturns]] = entries as [string, number[]][]
  const unevenEntry = entries.find(([, returns]) => (returns as number[]).length !== firstReturns.length)
  if (unevenEntry)
    throw new StudyError(
      `${path}.${unevenEntry[0]}`,
      `must have ${firstReturns.length} returns, as the first list has.`,
    )
  return Object.fromEntries(entries)
}

const returnsFields = {
  returns: needed(returnsByName),
  shown: optional(text, null),
  blocks: optional(evenBlocks, 8),
  riskFree: optional(numberFrom(-0.5, 1), 0),
}

const figureFields = {
  sharpe: needed(finiteNumber),
  days: needed(wholeNumber(1, 1_000_000_000)),
  skewness: optional(finiteNumber, 0),
  kurtosis: optional(finiteNumber, 3),
  benchmark: optional(finiteNumber, 0),
  trials: optional(numberFrom(1), 1),
  sharpeVariance: optional(numberFrom(0), 0),
}

/**
 * Validates a document of `study overfitting` and fills in its defaults; throws a `StudyError` that names the field.
 */
export function parseOverfittingInput(document: unknown): OverfittingInput {
  if (!isRecord(document)) throw new StudyError('document', 'must be a JSON object.')
  if (!('returns' in document)) return readFields(document, figureFields, '') as unknown as OverfittingInput
  const input = readFields(document, returnsFields, '') as unknown as Extract<OverfittingInput, { returns: unknown }>
  input.shown ??= Object.keys(input.returns)[0]
  if (Object.hasOwn(input.returns, input.shown)) return input
  throw new StudyError('shown', 'must be a name in returns.')
}
