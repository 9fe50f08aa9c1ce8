import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { placeholdersOf } from '#shared/lab/portfolio/parameterGrid.ts'
import { fundingModes, trainingPeriods, weightRules } from '#shared/lab/portfolio/portfolioStudy.ts'
import type { QuestionField } from './questionFields.ts'

/** A test as the user edits it; any field may be missing or invalid. */
export type WrittenTest = LabDocument['study']

type TestSection = 'weights' | 'trading' | 'costs' | 'luck' | 'grid'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the value at a path such as `weights.rule`. */
export const valueAt = (study: WrittenTest, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), study)

/** Changes the value at a path; undefined removes the value, and the objects that become empty. */
export function withValueAt(study: WrittenTest, path: string, value: unknown): WrittenTest {
  const [key, ...rest] = path.split('.')
  const { [key]: before, ...others } = study
  const inner = isRecord(before) ? before : {}
  const now = rest.length === 0 ? value : withValueAt(inner, rest.join('.'), value)
  const isRemoved = now === undefined || (rest.length > 0 && isRecord(now) && Object.keys(now).length === 0)
  if (isRemoved) return others
  return key in study ? { ...study, [key]: now } : { ...others, [key]: now }
}

const EXPOSURE = 'source.exposureBy'
const SCALE = `${EXPOSURE}.scale`

/**
 * Changes a field of the form. Removing an overlay also removes its scale. A new overlay scales by its value, and so
 * does an overlay whose last scale field is cleared.
 */
export function withField(study: WrittenTest, name: string, value: unknown): WrittenTest {
  if (name === `${EXPOSURE}.overlay`) {
    const before = valueAt(study, EXPOSURE)
    const exposure = { scale: 'value', ...(isRecord(before) && before), overlay: value }
    return withValueAt(study, EXPOSURE, value === undefined ? undefined : exposure)
  }
  const changed = withValueAt(study, name, value)
  const isScale = name.startsWith(`${SCALE}.`)
  return isScale && valueAt(changed, SCALE) === undefined ? withValueAt(changed, SCALE, 'value') : changed
}

/** Tells whether an overlay or regime scales the exposure of a test. */
const isScaled = (study: WrittenTest): boolean => isRecord(valueAt(study, EXPOSURE))

const numberField = (
  name: string,
  byDefault: QuestionField['byDefault'],
  unit?: QuestionField['unit'],
): QuestionField => ({
  name,
  control: 'number',
  byDefault,
  ...(unit && { unit }),
})
const formulaField = (name: string, byDefault: QuestionField['byDefault'], mayBeNumber = false): QuestionField => ({
  name,
  control: 'formula',
  byDefault,
  ...(mayBeNumber && { mayBeNumber, unit: 'bps' as const }),
})

/** Tells whether slippage grows with trade size. */
export const isRootSlippage = (study: WrittenTest): boolean => {
  const slippage = valueAt(study, 'costs.slippage')
  return isRecord(slippage) && ('k' in slippage || 'sigma' in slippage)
}

/** Lists the names of a signal's placeholders, without duplicates. */
export const parameterNamesOf = ({ signal }: WrittenTest): string[] =>
  typeof signal === 'string' ? [...new Set(placeholdersOf(signal))] : []

/**
 * Gives a test the parameters of its signal's placeholders. Their values come from `remembered`, which keeps all values
 * typed so far. A test with parameters also gets a walk-forward; one without loses it.
 */
export function withPlaceholders(study: WrittenTest, remembered: Map<string, unknown>): WrittenTest {
  const before = isRecord(study.parameters) ? study.parameters : {}
  for (const [name, values] of Object.entries(before)) remembered.set(name, values)
  const names = parameterNamesOf(study)
  const parameters = Object.fromEntries(
    names.flatMap((name) => (remembered.has(name) ? [[name, remembered.get(name)]] : [])),
  )
  const { parameters: _parameters, walkForward, ...rest } = study
  if (names.length === 0) return rest
  const hasNumbers = Object.keys(parameters).length > 0
  return { ...rest, ...(hasNumbers && { parameters, walkForward: isRecord(walkForward) ? walkForward : {} }) }
}

/** Lists the fields of a section that apply to a test in its present state. */
export function fieldsOf(section: TestSection, study: WrittenTest, usesCachedData: boolean): QuestionField[] {
  if (section === 'weights') return weightFields(valueAt(study, 'weights.rule') ?? 'rank')
  if (section === 'costs') return costFields(study)
  if (section === 'grid') return parameterNamesOf(study).length > 0 ? gridFields : []
  if (section === 'luck')
    return [
      { name: 'holdout.fromDay', control: 'text', byDefault: null },
      numberField('riskFree', 0, 'fraction'),
      numberField('pbo.blocks', 8),
    ]
  return [
    ...tradingFields,
    ...(usesCachedData ? cacheFields : []),
    ...(usesCachedData && isScaled(study) ? scaleFields : []),
  ]
}

const weightFields = (rule: unknown): QuestionField[] => [
  { name: 'weights.rule', control: 'choice', byDefault: 'rank', choices: weightRules },
  ...(rule === 'zscore' ? [numberField('weights.clip', 3)] : []),
  ...(rule === 'quantile' ? [numberField('weights.quantiles', 5)] : []),
  { name: 'weights.longOnly', control: 'toggle', byDefault: false },
  numberField('weights.leverage', 1, 'fraction'),
  numberField('weights.cap', null, 'fraction'),
]

const tradingFields: QuestionField[] = [
  { name: 'rebalance.every', control: 'text', byDefault: '1d' },
  { name: 'rebalance.offset', control: 'text', byDefault: '0m' },
  numberField('delayBars', 1),
  numberField('smoothing', 1),
  numberField('band', 0, 'fraction'),
  numberField('capital', 1_000_000),
  formulaField('price', 'close'),
  numberField('settleAfterBars', null),
]

const cacheFields: QuestionField[] = [
  { name: 'source.fundingEvery', control: 'text', byDefault: null },
  { name: 'source.exposureBy.overlay', control: 'text', byDefault: null, suggests: ['regime', 'overlay'] },
]

const scaleFields: QuestionField[] = [
  { name: 'source.exposureBy.portfolio', control: 'text', byDefault: null, suggests: ['portfolio'] },
  { name: 'source.exposureBy.scale.cuts', control: 'numbers', byDefault: null },
  { name: 'source.exposureBy.scale.factors', control: 'numbers', byDefault: null },
]

function costFields(study: WrittenTest): QuestionField[] {
  const isRoot = isRootSlippage(study)
  return [
    numberField('costs.feeBps', 5, 'bps'),
    formulaField('costs.spreadBps', 0, true),
    ...(isRoot
      ? [numberField('costs.slippage.k', null), formulaField('costs.slippage.sigma', null)]
      : [numberField('costs.slippage.bps', 0, 'bps')]),
    formulaField('costs.volume', null),
    { name: 'funding', control: 'choice', byDefault: 'required', choices: fundingModes },
    ...(study.funding === 'none' ? [] : [formulaField('fundingRate', 'funding')]),
    { name: 'capacity.levels', control: 'numbers', byDefault: null },
  ]
}

const gridFields: QuestionField[] = [
  numberField('walkForward.folds', 4),
  { name: 'walkForward.train', control: 'choice', byDefault: 'past', choices: trainingPeriods },
  numberField('walkForward.embargoDays', 0),
  numberField('walkForward.lookbackBars', null),
]
