import { declaredColumn } from '../catalog/testedDatasets.ts'
import { SHOWN_RATE } from '../units/numberKinds.ts'
import { exactNumber, powerText } from '../units/numbers.ts'
import { firstFew, plainPlural } from '../units/plurals.ts'
import type { CheckOutcome, Comparison } from './areas/inbox.ts'

/** Says what a check found, or why it could not be evaluated; empty if it found no value. */
export function foundText({ why, found, rows, compared, value }: CheckOutcome): string {
  if (why !== null) return why
  if (found && found.hits > 0)
    return `${found.hits} of ${plainPlural(found.symbols, 'symbol')}: ${firstFew(found.names)}`
  if (rows !== null) return plainPlural(rows, 'row')
  if (compared) return comparisonText(compared)
  return value === null ? '' : fourDigits(value)
}

/** Says a comparison as its rule has it, but that of a funding rate in basis points. */
function comparisonText({ value, operator, bound, column }: Comparison): string {
  const [dataset, name] = (column ?? '').split('.')
  if (declaredColumn(dataset, name)?.kind !== 'rate') return `${fourDigits(value)} ${operator} ${plainNumber(bound)}`
  const { factor, kind } = SHOWN_RATE
  const shownBound = plainNumber(Number((bound * factor).toPrecision(12)))
  return `${fourDigits(value * factor)} ${operator} ${shownBound} ${kind}`
}

const plainNumber = (value: number): string => powerText(exactNumber(value))
const fourDigits = (value: number): string => plainNumber(Number(value.toPrecision(4)))
