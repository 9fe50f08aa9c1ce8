import { StudyError } from '../../studyError.ts'
import { commonFields } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { ascendingListOf, formula, numberAbove, orNull } from '../fieldTypes.ts'
import { amounts } from '../phrases.ts'
import { sourceFields } from '../sourceFields.ts'

const fields = {
  ...commonFields('costs', sourceFields),
  spreadBps: {
    type: formula,
    cacheDefault: 'l1_liquidity.spread_bps',
    label: 'Spread',
    help: 'Formula for the whole spread in basis points; a trade pays half of it.',
    group: 'main',
  },
  impact: {
    type: orNull(formula),
    byDefault: null,
    cacheDefault: 'abs(impact.impact_per_notional)',
    label: 'Impact',
    help: 'Formula for how far a trade moves the price, as a return per unit of notional, at least 0; null for none.',
    group: 'main',
  },
  notionals: {
    type: ascendingListOf(numberAbove(0), 20),
    byDefault: [1000, 10_000, 50_000, 250_000],
    label: 'Sizes',
    phrase: amounts,
    help: 'Amounts of trades in the quote currency, separated by commas.',
    group: 'main',
  },
  reference: {
    type: numberAbove(0),
    /** Filled in from the sizes. */
    byDefault: undefined,
    example: 10_000,
    label: 'Reference size',
    phrase: amounts,
    help: 'The size whose cost is shown by hour and compared with what was measured. Default: the second size, or the only one.',
    group: 'more',
  },
  measured: {
    type: orNull(formula),
    byDefault: null,
    cacheDefault: 'slippage.slippage_bps_mean',
    label: 'Measured',
    help: 'Formula for what trades paid beyond the best quote, in basis points, to judge the model by; null for none.',
    group: 'more',
  },
} satisfies Fields

export type CostStudy = Values<typeof fields>

function fillIn(study: CostStudy): CostStudy {
  const { notionals } = study
  const reference = (study.reference as number | undefined) ?? notionals[Math.min(1, notionals.length - 1)]
  if (notionals.includes(reference)) return { ...study, reference }
  throw new StudyError('reference', `must be one of notionals: ${notionals.join(', ')}.`, 'notionals')
}

export const costs = {
  title: 'Costs',
  description: 'What does a trade cost by its size and hour, and is the model right?',
  fields,
  recipe:
    'Model what trades of {notionals} cost on {source}, bars of {interval}: half of {spreadBps} and an impact of {impact}, judged by {measured}, from {start} to {end}.',
  formulas: ({ spreadBps, impact, measured }: CostStudy) => [
    { field: 'spreadBps', formula: spreadBps },
    ...(impact === null ? [] : [{ field: 'impact', formula: impact }]),
    ...(measured === null ? [] : [{ field: 'measured', formula: measured }]),
  ],
  fillIn,
  treatsSymbolsAlone: true,
  /** The values and costs of a symbol. */
  ownBytes: (_study: CostStudy, times: number) => 80 * times,
}

/** Costs of a tested portfolio that charge what a study of costs models. */
export const testedCosts = ({ spreadBps, impact }: Pick<CostStudy, 'spreadBps' | 'impact'>) => ({
  spreadBps,
  slippage: impact === null ? { bps: 0 } : { perNotional: impact },
})
