import { FormulaError } from '#shared/formula/formulaError.ts'
import { tokensOf } from '#shared/formula/tokens.ts'
import type { Study } from '#shared/lab/kinds.ts'
import type { BlendStudy } from '#shared/lab/kinds/blend/fields.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { hashOf } from './canonicalJson.ts'

/** Documents that the ledger records. */
export type RecordedStudy = Study | PortfolioStudy | BlendStudy
type RowStudy = Exclude<RecordedStudy, BlendStudy>

/** Fields of a tested portfolio that do not affect its results. */
const ignoredFields = ['name', 'capacity', 'riskFree', 'pbo', 'holdout']

/** Hashes a study, in which all defaults are filled in already, without the fields that do not affect its results. */
export const documentHash = (study: RecordedStudy): string =>
  hashOf(Object.fromEntries(Object.entries(study).filter(([key]) => !ignoredFields.includes(key))))

/**
 * Hashes what all trials of one idea have in common: variants that differ only in numbers, ranges, costs, rebalancing
 * or caps belong to the same family.
 */
export function familyOf(study: RecordedStudy): string {
  if (study.kind === 'blend') return blendFamily(study)
  const { interval, kind } = study
  const source = study.source && sourceWithoutNumbers(study.source)
  if (study.kind === 'portfolio') {
    const { price, signal, weights } = study
    return hashOf({
      interval,
      kind,
      longOnly: weights.longOnly,
      price,
      rule: weights.rule,
      signal: shapeOf(signal),
      source,
    })
  }
  return hashOf({
    interval,
    kind,
    source,
    ...('signal' in study && study.signal !== null && { signal: shapeOf(study.signal) }),
    ...('when' in study && { when: shapeOf(study.when) }),
    ...('value' in study && { value: shapeOf(study.value) }),
  })
}

function blendFamily({ again, components, kind, members, neutral, overlay, prices }: BlendStudy): string {
  return hashOf({
    again,
    components: components.map(({ from, shape }) => ({ from, shape })),
    kind,
    members: members && { exchange: members.exchange },
    neutral,
    overlay,
    prices,
  })
}

/**
 * Hashes what all trials on the same rows have in common, whatever their formula: the source and the interval. Scaling
 * the exposure does not change the rows, so a trial with an overlay counts together with the others.
 */
export const scopeOf = (study: RecordedStudy): string =>
  study.kind === 'blend' ? hashOf({ kind: study.kind, prices: study.prices }) : rowScope(study)

const rowScope = ({ interval, source }: RowStudy): string =>
  hashOf({ interval, source: source && withoutExposure(sourceWithoutNumbers(source)) })

const withoutExposure = (source: Record<string, unknown>): Record<string, unknown> =>
  'exposureBy' in source ? { ...source, exposureBy: null } : source

function sourceWithoutNumbers(source: NonNullable<RowStudy['source']>): Record<string, unknown> {
  // The funding period to assume is a number of the test, too.
  const { by: _by, fundingEvery: _every, ...rest } = source as typeof source & { by?: unknown; fundingEvery?: unknown }
  if (!('exposureBy' in rest) || !rest.exposureBy) return rest
  const { scale, ...exposure } = rest.exposureBy
  return { ...rest, exposureBy: { ...exposure, scale: scale === 'value' ? scale : {} } }
}

/** Number that stands in for a placeholder while a formula is split into tokens. */
const STAND_IN = ' 0 '

/**
 * Joins the tokens of a formula with spaces, with # for every number and placeholder; a text that is not a formula is
 * returned with only its placeholders replaced. A minus sign remains as a separate token, so combinations that differ
 * in the sign of a number belong to different families.
 */
export function shapeOf(formula: string): string {
  const text = formula.replace(/\{[a-z][A-Za-z0-9]{0,19}\}/g, STAND_IN)
  try {
    const shape: string[] = []
    for (const { kind, start, end } of tokensOf(text)) {
      if (kind === 'end') continue
      shape.push(kind === 'number' ? '#' : text.slice(start, end))
    }
    return shape.join(' ')
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return text
  }
}

/** Hashes the identity of a run: its document, its inputs and the day up to which they were read. */
export const keyOf = (run: {
  documentHash: string
  inputs: readonly { sha256: string }[]
  readUntil: string | null
}): string =>
  hashOf({ document: run.documentHash, inputs: run.inputs.map(({ sha256 }) => sha256), readUntil: run.readUntil })
