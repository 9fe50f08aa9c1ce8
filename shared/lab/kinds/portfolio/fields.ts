import { MS_PER_DAY, parseDuration } from '#shared/time.ts'
import { countCombinations, MOST_COMBINATIONS, placeholdersOf } from '../../portfolio/parameterGrid.ts'
import { StudyError } from '../../studyError.ts'
import { studyRange } from '../../studyRange.ts'
import { commonFields, priceFields, signalField } from '../commonFields.ts'
import {
  type Field,
  type Fields,
  type FieldType,
  isRecord,
  type PlacedField,
  type Values,
  valueAt,
  type WrittenStudy,
} from '../field.ts'
import {
  ascendingListOf,
  choice,
  dictionary,
  duration,
  evenBlocks,
  finiteNumber,
  flag,
  formula,
  numberAbove,
  numberFrom,
  objectSchema,
  orNull,
  record,
  repeatableListOf,
  text,
  utcDay,
  wholeNumber,
} from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { bars, counted, turnedAround } from '../phrases.ts'

export const weightRules = { rank: 'Rank', zscore: 'Z-score', quantile: 'Quantile', direct: 'Direct' }

const hasRule = (rule: string) => (study: WrittenStudy) => (valueAt(study, 'weights.rule') ?? 'rank') === rule

/** Says which sides a test takes; a signal that is turned around is named without its minus. */
const sidesPhrase = (longOnly: unknown, { signal }: WrittenStudy): string => {
  const [long, short] = turnedAround(signal) === null ? ['high', 'low'] : ['low', 'high']
  return longOnly === true ? `long ${long} only` : `long ${long}, short ${short}`
}

const everyText = (every: unknown): string =>
  every === '1d' ? 'daily' : every === '7d' ? 'weekly' : `every ${String(every)}`

const weights = {
  rule: {
    type: choice(weightRules),
    byDefault: 'rank',
    label: 'Weights',
    help: 'How the signal of a symbol becomes its weight.',
    group: 'weights',
  },
  clip: {
    type: numberAbove(0),
    byDefault: 3,
    label: 'Clip',
    help: 'Z-scores are clipped at this many standard deviations.',
    group: 'weights',
    applies: hasRule('zscore'),
  },
  quantiles: {
    type: wholeNumber(2, 20),
    byDefault: 5,
    label: 'Groups',
    help: 'The highest group is held long, the lowest short.',
    group: 'weights',
    applies: hasRule('quantile'),
  },
  longOnly: {
    type: flag,
    byDefault: false,
    label: 'Long only',
    phrase: sidesPhrase,
    help: 'Takes no short positions; the long side gets the whole exposure.',
    group: 'weights',
  },
  leverage: {
    type: numberAbove(0, 100),
    byDefault: 1,
    label: 'Leverage',
    help: 'Gross exposure as a multiple of equity; scales every weight.',
    group: 'weights',
    unit: 'fraction',
  },
  cap: {
    type: orNull(numberAbove(0)),
    byDefault: null,
    label: 'Cap',
    help: 'Largest weight of one symbol; the excess goes to the other symbols on the same side.',
    group: 'weights',
    unit: 'fraction',
  },
} satisfies Fields

const rebalance = {
  every: {
    type: duration,
    byDefault: '1d',
    label: 'Rebalance',
    phrase: (every) => everyText(every),
    help: 'Time between two decisions, such as 8h, 1d or 7d.',
    group: 'trading',
  },
  offset: {
    type: duration,
    byDefault: '0m',
    label: 'Offset',
    help: 'How long after the start of each period decisions are made. Periods start at midnight UTC, those of 7d on a Thursday, so that an offset of 4d means Monday.',
    group: 'trading',
  },
} satisfies Fields

/** Models of slippage: fixed, growing with the root of a trade's share of the volume, or in proportion to its size. */
export type SlippageModel = 'fixed' | 'root' | 'size'

/** The model of slippage that a document names. */
export const slippageModel = (study: WrittenStudy): SlippageModel => modelOf(valueAt(study, 'costs.slippage'))

function modelOf(slippage: unknown): SlippageModel {
  if (!isRecord(slippage)) return 'fixed'
  if ('k' in slippage || 'sigma' in slippage) return 'root'
  return 'perNotional' in slippage ? 'size' : 'fixed'
}

const hasModel = (model: SlippageModel) => (study: WrittenStudy) => slippageModel(study) === model

const linearSlippage = {
  bps: {
    type: numberFrom(0),
    label: 'Slippage',
    help: 'Basis points of the traded notional, in addition to the spread.',
    group: 'costs',
    unit: 'bps',
    applies: hasModel('fixed'),
  },
} satisfies Fields

const rootSlippage = {
  k: {
    type: numberFrom(0),
    label: 'Impact coefficient',
    help: 'Slippage is this coefficient · volatility · √(trade / volume).',
    group: 'costs',
    applies: hasModel('root'),
  },
  sigma: {
    type: formula,
    label: 'Volatility',
    help: 'Formula for the standard deviation of a bar’s return, as a fraction, such as std(logret(ohlcv.close), 24); pct gives per cent instead.',
    group: 'costs',
    applies: hasModel('root'),
  },
} satisfies Fields

const sizedSlippage = {
  perNotional: {
    type: formula,
    label: 'Impact per notional',
    help: 'Formula for the slippage per unit of notional, as a return: a trade of 10 000 pays 10 000 times it. A study of costs makes one.',
    group: 'costs',
    applies: hasModel('size'),
  },
} satisfies Fields

const slippageTypes = {
  fixed: record(linearSlippage),
  root: record(rootSlippage),
  size: record(sizedSlippage),
} satisfies Record<SlippageModel, FieldType>

type Slippage = Values<typeof linearSlippage> | Values<typeof rootSlippage> | Values<typeof sizedSlippage>

const slippage: FieldType<Slippage> = {
  read: (value, path) => slippageTypes[modelOf(value)].read(value, path),
  schema: { anyOf: Object.values(slippageTypes).map(({ schema }) => schema) },
  fields: { ...linearSlippage, ...rootSlippage, ...sizedSlippage },
}

const numberOrFormula: FieldType<number | string> = {
  read: (value, path) => (typeof value === 'number' ? numberFrom(0).read(value, path) : text.read(value, path)),
  schema: { anyOf: [numberFrom(0).schema, text.schema] },
  control: 'formula',
}

const costs = {
  feeBps: {
    type: numberFrom(-1000, 1000),
    byDefault: 5,
    label: 'Fee',
    help: 'Basis points of the traded notional; a negative fee is a rebate.',
    group: 'costs',
    unit: 'bps',
  },
  /** The full bid–ask spread, of which half is paid. */
  spreadBps: {
    type: numberOrFormula,
    byDefault: 0,
    label: 'Spread',
    help: 'The whole spread in basis points, a number or a formula; each trade pays half of it.',
    group: 'costs',
    unit: 'bps',
  },
  slippage: {
    type: slippage,
    byDefault: { bps: 0 },
    label: 'Slippage',
    help: 'A fixed number of basis points, one that grows with the root of the trade, or one in proportion to its size.',
  },
  volume: {
    type: orNull(formula),
    byDefault: null,
    label: 'Volume',
    help: 'Formula for the notional traded in a bar, in quote currency; used for participation.',
    group: 'costs',
  },
} satisfies Fields

const isScaled = (study: WrittenStudy): boolean => isRecord(valueAt(study, 'source.exposureBy'))

const scaleSteps = {
  cuts: {
    type: ascendingListOf(finiteNumber, 10),
    label: 'Cuts',
    help: 'Ascending cut points that split the overlay into states, such as 0.5, 1. Empty: the value itself is the multiplier.',
    group: 'source',
    applies: isScaled,
  },
  factors: {
    type: repeatableListOf(finiteNumber, 11),
    label: 'Multipliers',
    help: 'Exposure in each state, from the lowest state to the highest, such as 1, 0.5, 0; there is one more than there are cuts.',
    group: 'source',
    applies: isScaled,
  },
} satisfies Fields

const scale: FieldType<'value' | Values<typeof scaleSteps>> = {
  read(value, path) {
    if (value === 'value') return value
    if (!isRecord(value)) throw new StudyError(path, 'must be "value" or an object with cuts and factors.')
    const steps = record(scaleSteps).read(value, path)
    if (steps.factors.length === steps.cuts.length + 1) return steps
    throw new StudyError(`${path}.factors`, 'must have one entry more than cuts.')
  },
  schema: { anyOf: [{ const: 'value' }, objectSchema(scaleSteps)] },
  fields: scaleSteps,
}

const testSourceFields = {
  ...sourceFields,
  fundingEvery: {
    type: orNull(duration),
    byDefault: null,
    label: 'Funding every',
    help: 'Funding period to assume where nothing shows the right one, such as 8h. Without it, such funding counts as unknown.',
    group: 'source',
  },
  exposureBy: {
    type: orNull(
      record({
        overlay: {
          type: text,
          label: 'Scale by',
          help: 'Id of the risk regime or overlay, from the portfolio service, that scales the exposure; the result is shown with and without it.',
          group: 'source',
          suggests: ['regime', 'overlay'],
        },
        portfolio: {
          type: orNull(text),
          byDefault: null,
          label: 'Overlay of',
          help: 'Portfolio that the overlay belongs to; empty for a risk regime.',
          group: 'source',
          suggests: ['portfolio'],
          applies: isScaled,
        },
        scale: { type: scale, label: 'Scale', help: 'How a value of the overlay becomes a multiplier.' },
      }),
    ),
    byDefault: null,
    label: 'Exposure',
    help: 'A cached overlay or risk regime that scales the exposure.',
  },
} satisfies Fields

const parameterNamePattern = /^[a-z][A-Za-z0-9]{0,19}$/

const parameters = dictionary(
  repeatableListOf(finiteNumber),
  {
    of: 'numbers',
    checkName(name, path) {
      if (parameterNamePattern.test(name)) return
      throw new StudyError(`${path}.${name}`, 'must be named with a lower-case letter and up to 19 letters or digits.')
    },
  },
  1,
)

/** Lists the names of a signal's placeholders, without duplicates. */
export const parameterNamesOf = ({ signal }: WrittenStudy): string[] =>
  typeof signal === 'string' ? [...new Set(placeholdersOf(signal))] : []
/** Field of the numbers that a placeholder stands for. */
export const parameterField = (name: string): PlacedField => ({
  path: `parameters.${name}`,
  type: repeatableListOf(finiteNumber),
  label: `{${name}}`,
  help: 'Numbers to try, separated by commas. Every combination is a trial.',
})

const isGrid = (study: WrittenStudy): boolean => parameterNamesOf(study).length > 0

const walkForward = {
  folds: {
    type: wholeNumber(1, 100),
    byDefault: 4,
    label: 'Folds',
    phrase: counted('fold'),
    help: 'Number of periods tested one after the other, each with the combination that was best on its training days.',
    group: 'grid',
    applies: isGrid,
  },
  train: {
    type: choice({ past: 'The past', around: 'Both sides' }),
    byDefault: 'past',
    label: 'Train on',
    help: 'Days to train on: only those before a fold, or those on both sides of it.',
    group: 'grid',
    applies: isGrid,
  },
  embargoDays: {
    type: wholeNumber(0, 3650),
    byDefault: 0,
    label: 'Embargo',
    phrase: counted('day'),
    help: 'Days after a fold, beyond the purge, that are left out of training.',
    group: 'grid',
    applies: isGrid,
  },
  lookbackBars: {
    type: orNull(wholeNumber(0, 1_000_000)),
    byDefault: null,
    label: 'Look-back',
    phrase: bars,
    help: 'Number of bars before the current one that the signal reads; needed only if the formula does not show it.',
    group: 'grid',
    applies: isGrid,
  },
} satisfies Fields

/** Makes a field of an object that may be left out: the fields in it then have their defaults. */
const withDefaults = <Table extends Fields>(fields: Table, label: string, help: string) =>
  ({ type: record(fields), byDefault: {}, label, help }) satisfies Field

/** Makes a field of an object that may be null. */
const absentOr = <Table extends Fields>(fields: Table, label: string, help: string) =>
  ({ type: orNull(record(fields)), byDefault: null, label, help }) satisfies Field

const fields = {
  ...commonFields('portfolio', testSourceFields),
  signal: { ...signalField, phrase: (signal) => turnedAround(signal) ?? String(signal) },
  weights: withDefaults(weights, 'Weights', 'How signals become weights.'),
  rebalance: withDefaults(rebalance, 'Rebalancing', 'When decisions are made.'),
  delayBars: { ...priceFields.delayBars, group: 'trading' },
  smoothing: {
    type: wholeNumber(1, 10_000),
    byDefault: 1,
    label: 'Smoothing',
    help: 'Span, in rebalances, of an exponential moving average of the weights; 1 means none.',
    group: 'trading',
  },
  /** Weight difference up to which a position is not traded, unless its target is 0. */
  band: {
    type: numberFrom(0),
    byDefault: 0,
    label: 'No-trade band',
    help: 'A position is traded only if its weight is off target by more than this.',
    group: 'trading',
    unit: 'fraction',
  },
  capital: {
    type: numberAbove(0),
    byDefault: 1_000_000,
    label: 'Capital',
    help: 'Equity at the start, in the quote currency; matters where costs grow with size.',
    group: 'trading',
  },
  price: { ...priceFields.price, group: 'trading' },
  settleAfterBars: {
    type: wholeNumber(1, 1_000_000),
    /** Filled in from the interval. */
    byDefault: undefined,
    example: 72,
    label: 'Settle after',
    phrase: bars,
    help: 'Bars without a price after which a position is closed at its last price. Default: those of three days.',
    group: 'trading',
  },
  costs: withDefaults(costs, 'Costs', 'What trading costs.'),
  funding: {
    type: choice({ required: 'Required', zero: 'Missing counts as 0', none: 'None' }),
    byDefault: 'required',
    label: 'Funding',
    help: 'Required: missing funding is reported as unknown, never silently taken as 0.',
    group: 'costs',
  },
  fundingRate: {
    type: formula,
    byDefault: 'funding',
    label: 'Funding rate',
    help: 'The rate paid in a bar: longs pay a positive rate, shorts receive it.',
    group: 'costs',
    applies: ({ funding }) => funding !== 'none',
  },
  capacity: absentOr(
    {
      levels: {
        type: repeatableListOf(numberAbove(0), 50),
        label: 'Capital levels',
        help: 'Amounts of capital, separated by commas, with which the same test is run again. They add no trials.',
        group: 'costs',
      },
    },
    'Capacity',
    'The same test with other amounts of capital.',
  ),
  holdout: absentOr(
    {
      fromDay: {
        type: utcDay,
        label: 'Sealed from',
        help: 'First UTC day of the holdout: until you open it, no test of this family reads this day or any later one.',
        group: 'luck',
      },
    },
    'Holdout',
    'Days that are sealed until you open them.',
  ),
  riskFree: {
    type: numberFrom(-0.5, 1),
    byDefault: 0,
    label: 'Risk-free rate',
    help: 'Annual, as a fraction: 0.04 is 4 %.',
    group: 'luck',
    unit: 'fraction',
  },
  pbo: withDefaults(
    {
      blocks: {
        type: evenBlocks,
        byDefault: 8,
        label: 'PBO blocks',
        help: 'Even number of blocks for the probability of backtest overfitting.',
        group: 'luck',
      },
    },
    'PBO',
    'Probability of backtest overfitting.',
  ),
  parameters: {
    type: orNull(parameters),
    byDefault: null,
    label: 'Parameters',
    help: 'Numbers to try for each name in braces in the signal. Every combination is a trial.',
  },
  walkForward: absentOr(walkForward, 'Walk-forward', 'Tests the best combination of each training period.'),
} satisfies Fields

/** Document of a tested portfolio with all defaults filled in. */
export type PortfolioStudy = Values<typeof fields>
export type PortfolioSource = NonNullable<PortfolioStudy['source']>
/** A cached overlay or regime that scales the targets. */
export type ExposureScale = NonNullable<PortfolioSource['exposureBy']>

/** Converts a duration of a validated document to milliseconds. */
export const durationMs = (text: string): number => parseDuration(text) ?? NaN

/** Default number of days without a price after which a position is settled. */
const SETTLE_AFTER_DAYS = 3

function fillIn(study: PortfolioStudy): PortfolioStudy {
  const { intervalMs } = studyRange(study)
  const settleAfterBars = (study.settleAfterBars as number | undefined) ?? (SETTLE_AFTER_DAYS * MS_PER_DAY) / intervalMs
  checkRebalance(study, intervalMs)
  if ('k' in study.costs.slippage && study.costs.volume === null)
    throw new StudyError('costs.volume', 'is needed where costs.slippage depends on it.')
  checkGrid(study)
  return { ...study, settleAfterBars }
}

function checkRebalance({ rebalance, source }: PortfolioStudy, intervalMs: number): void {
  const everyMs = durationMs(rebalance.every)
  const offsetMs = durationMs(rebalance.offset)
  const isWhole = (ms: number) => ms % intervalMs === 0
  if (!(everyMs > 0 && isWhole(everyMs))) {
    throw new StudyError('rebalance.every', 'must be a whole number of intervals, at least one.')
  }
  if (!isWhole(offsetMs)) throw new StudyError('rebalance.offset', 'must be a whole number of intervals.')
  if (offsetMs >= everyMs)
    throw new StudyError('rebalance.offset', 'must be shorter than rebalance.every.', 'rebalance.every')
  if (source && source.fundingEvery !== null && durationMs(source.fundingEvery) === 0) {
    throw new StudyError('source.fundingEvery', 'must be longer than 0.')
  }
}

/**
 * Rejects placeholders without a parameter, parameters without a placeholder or a walk-forward, a walk-forward without parameters, and
 * grids with too many combinations.
 */
function checkGrid({ signal, parameters, walkForward }: PortfolioStudy): void {
  const unknownName = placeholdersOf(signal).find((name) => !parameters || !Object.hasOwn(parameters, name))
  if (unknownName !== undefined)
    throw new StudyError(
      'signal',
      parameterNamePattern.test(unknownName)
        ? `{${unknownName}} has no numbers in parameters: list the numbers to try.`
        : `{${unknownName}} is not a placeholder: its name is a lower-case letter and up to 19 letters or digits.`,
    )
  const namesInSignal = new Set(placeholdersOf(signal))
  const unusedName = Object.keys(parameters ?? {}).find((name) => !namesInSignal.has(name))
  if (unusedName !== undefined)
    throw new StudyError(
      `parameters.${unusedName}`,
      `stands nowhere in signal, so its numbers would only repeat the test: write {${unusedName}} where they belong, or remove it.`,
    )
  if (parameters && !walkForward) throw new StudyError('walkForward', 'is needed where there are parameters.')
  if (walkForward && !parameters) throw new StudyError('parameters', 'are needed by walkForward.')
  if (parameters && countCombinations(parameters) > MOST_COMBINATIONS) {
    throw new StudyError('parameters', `make more than ${MOST_COMBINATIONS} combinations.`)
  }
}

export const portfolio = {
  title: 'Portfolio test',
  description: 'What would a portfolio built on this signal have earned after fees, spread, slippage and funding?',
  fields,
  recipe:
    'Go {weights.longOnly} {signal} over {source}, on bars of {interval}, weighted by {weights.rule}, rebalanced {rebalance.every}, {delayBars} later, with a fee of {costs.feeBps} and half of a spread of {costs.spreadBps}, from {start} to {end}.',
  formulas: ({ signal, price, funding, fundingRate, costs: { spreadBps, slippage, volume } }: PortfolioStudy) => [
    { field: 'signal', formula: signal },
    { field: 'price', formula: price },
    ...(funding === 'none' ? [] : [{ field: 'fundingRate', formula: fundingRate }]),
    ...(typeof spreadBps === 'string' ? [{ field: 'costs.spreadBps', formula: spreadBps }] : []),
    ...('sigma' in slippage ? [{ field: 'costs.slippage.sigma', formula: slippage.sigma }] : []),
    ...('perNotional' in slippage ? [{ field: 'costs.slippage.perNotional', formula: slippage.perNotional }] : []),
    ...(volume === null ? [] : [{ field: 'costs.volume', formula: volume }]),
  ],
  fillIn,
}
