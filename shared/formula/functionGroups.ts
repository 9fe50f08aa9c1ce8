import type { FormulaFunction } from './formulaFunction.ts'
import { formulaFunctions } from './functionTable.ts'

/** Function names grouped by purpose, as help lists them. */
const groups: readonly (readonly [title: string, names: string])[] = [
  ['Earlier rows and changes', 'lag diff pct logret cumsum index100 percentfromstart ffill'],
  ['Windows', 'sum sma ema std ewmstd zscore rank rollmin rollmax median mad quantile skew kurt'],
  ['Two series', 'rollcorr rollbeta resid spread ratio bps'],
  ['Values and conditions', 'abs sign log exp sqrt min max clip if where'],
  ['Intervals and units', 'resample inquote'],
  ['Funding', 'settled annual fundinghours'],
  ['Events of your own', 'events since'],
  ['Across symbols', 'cs_rank cs_zscore cs_demean cs_winsor cs_neutral'],
]

interface FunctionGroup {
  title: string
  functions: readonly FormulaFunction[]
}

export const functionGroups: readonly FunctionGroup[] = groups.map(([title, names]) => ({
  title,
  functions: names.split(' ').flatMap((name) => formulaFunctions.find((one) => one.name === name) ?? []),
}))
