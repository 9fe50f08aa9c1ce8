import { smoothings, UNCONSTRAINED } from '#shared/catalog/portfolioEndpoints.ts'
import { StudyError } from '../../studyError.ts'
import { type Fields, type FieldType, isRecord, readFields, type Values } from '../field.ts'
import {
  choice,
  finiteNumber,
  flag,
  numberAbove,
  numberFrom,
  objectSchema,
  oneOf,
  orNull,
  record,
  repeatableListOf,
  text,
  utcDay,
  wholeNumber,
} from '../fieldTypes.ts'
import { counted, UNSAID } from '../phrases.ts'
import { firstFew } from '#shared/units/plurals.ts'

/** Kinds of what a component is from, each with the fields that name it. */
const sourcesByKind = {
  factor: { factor: { type: text, label: 'Factor', help: 'Id of a factor of the portfolio service.' } },
  portfolio: {
    portfolio: { type: text, label: 'Portfolio', help: 'Id of a served portfolio; its history of weights is blended.' },
    smoothing: {
      type: orNull(oneOf(smoothings)),
      byDefault: null,
      label: 'Smoothing',
      help: 'Smoothing of the weights; null for that of the portfolio itself.',
    },
    exchange: {
      type: text,
      byDefault: UNCONSTRAINED,
      label: 'Venue',
      help: 'Venue to which the portfolio is limited.',
    },
  },
  test: { test: { type: text, label: 'Test', help: 'Id of a run of a tested portfolio.' } },
  weights: { weights: { type: text, label: 'Own weights', help: 'Name of own weights.' } },
  file: {
    file: { type: text, label: 'File', help: 'CSV with the columns date, ticker and value, relative to the document.' },
  },
} satisfies Record<string, Fields>

export type BlendSourceKind = keyof typeof sourcesByKind
export const blendSourceKinds = Object.keys(sourcesByKind) as BlendSourceKind[]

/** What a component is from; the name of its first field is its kind. */
export type BlendSource = { [Kind in BlendSourceKind]: Values<(typeof sourcesByKind)[Kind]> }[BlendSourceKind]

export const sourceKindOf = (from: object): BlendSourceKind | null =>
  blendSourceKinds.find((kind) => Object.hasOwn(from, kind)) ?? null

/** Names a component, such as `factor:momentum`. */
export function sourceName(from: BlendSource): string {
  const kind = sourceKindOf(from) ?? 'factor'
  const name = `${kind}:${(from as unknown as Record<string, string>)[kind]}`
  if (!('portfolio' in from)) return name
  const isSaid = (each: unknown) => each !== null && each !== undefined && each !== UNCONSTRAINED
  const more = [from.smoothing, from.exchange].filter(isSaid)
  return more.length === 0 ? name : `${name} (${more.join(', ')})`
}

const sourceType: FieldType<BlendSource> = {
  read(value, path) {
    const kinds = isRecord(value) ? blendSourceKinds.filter((kind) => Object.hasOwn(value, kind)) : []
    if (!isRecord(value) || kinds.length !== 1)
      throw new StudyError(path, `must be an object with exactly one of ${blendSourceKinds.join(', ')}.`)
    return readFields(value, sourcesByKind[kinds[0]] as Fields, { prefix: `${path}.` }) as unknown as BlendSource
  },
  schema: { anyOf: Object.values(sourcesByKind).map(objectSchema) },
}

export const shapes = { bins: 'Bins', rank: 'Ranks', zscore: 'z-scores', asIs: 'As they are' } as const
type BlendShape = keyof typeof shapes

const nonZero: FieldType<number> = {
  ...finiteNumber,
  read(value, path) {
    const weight = finiteNumber.read(value, path)
    if (weight !== 0) return weight
    throw new StudyError(path, 'must not be 0.')
  },
}

const componentFields = {
  from: { type: sourceType, label: 'From', help: 'A factor, portfolio, test, own weights or file.' },
  weight: { type: nonZero, byDefault: 1, label: 'Weight', help: 'Weight of the component; below 0 turns it around.' },
  shape: {
    type: choice<BlendShape>(shapes),
    /** Filled in from what the component is from. */
    byDefault: undefined,
    label: 'Shape',
    help: 'How values become comparable: bins of ranks, ranks, z-scores, or as they are.',
  },
} satisfies Fields

type BlendComponent = Values<typeof componentFields>

const componentRecord = record(componentFields)
const component: FieldType<BlendComponent> = {
  ...componentRecord,
  read(value, path) {
    const read = componentRecord.read(value, path)
    const isSignal = 'factor' in read.from || 'file' in read.from
    return { ...read, shape: (read.shape as BlendShape | undefined) ?? (isSignal ? 'bins' : 'asIs') }
  },
}
/** Without fields, because an entry of a list is edited as a whole. */
const { fields: _fields, ...componentType } = component

const componentsPhrase = (components: unknown): string =>
  Array.isArray(components) ? firstFew(components.map(componentText)) : UNSAID

function componentText(written: unknown): string {
  const { from, weight = 1 } = isRecord(written) ? written : {}
  if (!isRecord(from)) return UNSAID
  return `${weight === 1 ? '' : `${String(weight)} × `}${sourceName(from as unknown as BlendSource)}`
}

const volatilityFields = {
  days: {
    type: wholeNumber(20, 1000),
    label: 'Volatility days',
    phrase: counted('day'),
    help: 'Calendar days of returns from which volatility is taken.',
  },
  minDays: {
    type: wholeNumber(2, 1000),
    /** Filled in from the days. */
    byDefault: undefined,
    label: 'Fewest days',
    phrase: counted('day'),
    help: 'Fewest of these days with a return; half of the days if nothing is said.',
  },
} satisfies Fields

const volatilityRecord = record(volatilityFields)
const inverseVolatility: FieldType<Values<typeof volatilityFields>> = {
  ...volatilityRecord,
  read(value, path) {
    const { days, minDays: given } = volatilityRecord.read(value, path)
    const minDays = (given as number | undefined) ?? Math.ceil(days / 2)
    if (minDays > days) throw new StudyError(`${path}.minDays`, `must be a whole number from 2 to ${days}.`)
    return { days, minDays }
  },
}

const fields = {
  version: { type: oneOf([1]), label: 'Version', help: 'Version of the document.', example: 1 },
  kind: { type: oneOf(['blend']), label: 'Kind', help: 'Kind of the study.', example: 'blend' },
  name: { type: orNull(text), byDefault: null, label: 'Name', help: 'Name of the study; no result depends on it.' },
  start: { type: utcDay, label: 'From', help: 'The first UTC day.', example: '2026-01-01', group: 'range' },
  end: { type: utcDay, label: 'To', help: 'The last UTC day (included).', example: '2026-07-31', group: 'range' },
  components: {
    type: repeatableListOf(componentType as FieldType<BlendComponent>, 50),
    label: 'Components',
    phrase: componentsPhrase,
    help: 'What is blended: 1 to 50 factors, portfolios, tests, own weights or files, each with a weight and a shape.',
    example: [{ from: { factor: 'momentum' } }, { from: { portfolio: 'momentum_ls.20' } }],
  },
  members: {
    type: orNull(
      record({
        size: { type: oneOf([20, 30, 40]), label: 'Size', help: 'Size of the universe.' },
        exchange: { type: text, byDefault: UNCONSTRAINED, label: 'Venue', help: 'Venue of the universe.' },
      }),
    ),
    byDefault: null,
    label: 'Members',
    help: 'Universe of the portfolio service that limits the tickers by day; null for every ticker of a component.',
  },
  bins: {
    type: wholeNumber(2, 100),
    byDefault: 20,
    label: 'Bins',
    phrase: counted('bin'),
    help: 'Number of bins of the shape of that name.',
    group: 'main',
  },
  again: {
    type: flag,
    /** Filled in from the shapes. */
    byDefault: undefined,
    example: false,
    label: 'Shape again',
    help: 'Shapes the mean of the components once more; by default where all shapes are bins.',
    group: 'more',
  },
  inverseVolatility: {
    type: orNull(inverseVolatility),
    byDefault: null,
    label: 'Inverse volatility',
    help: 'Divides each weight by the volatility of its ticker.',
  },
  neutral: {
    type: flag,
    /** Filled in from the shapes. */
    byDefault: undefined,
    example: false,
    label: 'Neutral',
    help: 'Subtracts the mean, so that longs and shorts are equal; by default where no shape is asIs.',
    group: 'more',
  },
  gross: {
    type: numberAbove(0, 100),
    byDefault: 1,
    label: 'Gross',
    help: 'Sum of the absolute weights before the cap and the overlay.',
    group: 'main',
  },
  cap: {
    type: orNull(numberAbove(0)),
    byDefault: null,
    label: 'Cap',
    help: 'Largest weight of a ticker; what is above goes to the others of its side.',
    group: 'more',
  },
  overlay: {
    type: orNull(
      record({
        overlay: {
          type: text,
          label: 'Overlay',
          help: 'Id of the risk regime or overlay.',
          suggests: ['regime', 'overlay'],
        },
        portfolio: {
          type: orNull(text),
          byDefault: null,
          label: 'Overlay of',
          help: 'Portfolio that the overlay belongs to; null for a risk regime.',
        },
      }),
    ),
    byDefault: null,
    label: 'Overlay',
    help: 'Risk regime or overlay whose last value before a day multiplies the weights of the day.',
  },
  costBps: {
    type: numberFrom(0, 1000),
    byDefault: 5,
    label: 'Cost',
    help: 'Basis points of the traded notional.',
    group: 'costs',
    unit: 'bps',
  },
  prices: {
    type: orNull(text),
    byDefault: null,
    label: 'Own prices',
    help: 'Name of own prices; null for those of the portfolio service.',
    group: 'more',
  },
} satisfies Fields

export type BlendStudy = Values<typeof fields>

function fillIn(study: BlendStudy): BlendStudy {
  const { components, again, neutral } = study as Omit<BlendStudy, 'again' | 'neutral'> & {
    again: boolean | undefined
    neutral: boolean | undefined
  }
  return {
    ...study,
    again: again ?? components.every(({ shape }) => shape === 'bins'),
    neutral: neutral ?? components.every(({ shape }) => shape !== 'asIs'),
  }
}

export const blend = {
  title: 'Blend',
  description: 'What do factors and portfolios earn together, and what does each add?',
  fields,
  recipe:
    'Blend {components}, in {bins} where shapes are bins, with a gross weight of {gross}, at a cost of {costBps}, from {start} to {end}.',
  formulas: () => [],
  fillIn,
}
