import { isRecord } from '#shared/schemas/isRecord.ts'
import { readFields } from '../kinds/field.ts'
import {
  dictionary,
  evenBlocks,
  finiteNumber,
  numberFrom,
  repeatableListOf,
  text,
  wholeNumber,
} from '../kinds/fieldTypes.ts'
import { StudyError } from '../studyError.ts'
import type { OverfittingInput } from './overfitting.ts'

const listsByName = dictionary(repeatableListOf(finiteNumber), { of: 'daily returns', checkName: () => undefined }, 1)

const returnsByName = {
  read(value: unknown, path: string): Record<string, number[]> {
    const returns = listsByName.read(value, path)
    const [[, firstReturns], ...others] = Object.entries(returns)
    const uneven = others.find(([, list]) => list.length !== firstReturns.length)
    if (!uneven) return returns
    throw new StudyError(`${path}.${uneven[0]}`, `must have ${firstReturns.length} returns, as the first list has.`)
  },
}

const returnsFields = {
  returns: { type: returnsByName },
  shown: { type: text, byDefault: null },
  blocks: { type: evenBlocks, byDefault: 8 },
  riskFree: { type: numberFrom(-0.5, 1), byDefault: 0 },
}

const figureFields = {
  sharpe: { type: finiteNumber },
  days: { type: wholeNumber(1, 1_000_000_000) },
  skewness: { type: finiteNumber, byDefault: 0 },
  kurtosis: { type: finiteNumber, byDefault: 3 },
  benchmark: { type: finiteNumber, byDefault: 0 },
  trials: { type: numberFrom(1), byDefault: 1 },
  sharpeVariance: { type: numberFrom(0), byDefault: 0 },
}

/**
 * Validates a document of `study overfitting` and fills in its defaults; throws a `StudyError` that names the field.
 */
export function parseOverfittingInput(document: unknown): OverfittingInput {
  if (!isRecord(document)) throw new StudyError('document', 'must be a JSON object.')
  if (!('returns' in document)) return readFields(document, figureFields)
  const input = readFields(document, returnsFields)
  const shown = (input.shown as string | null) ?? Object.keys(input.returns)[0]
  if (Object.hasOwn(input.returns, shown)) return { ...input, shown }
  throw new StudyError('shown', 'must be a name in returns.')
}
