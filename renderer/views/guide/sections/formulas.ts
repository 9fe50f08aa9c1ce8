import type { FormulaFunction } from '#shared/formula/formulaFunction.ts'
import { functionGroups } from '#shared/formula/functionGroups.ts'
import { languageRules } from '#shared/formula/languageRules.ts'
import type { GuideSection } from '../guideSection.ts'

function callText({ name, parameters }: FormulaFunction): string {
  const parameterNames = parameters.map((each) => `${each.name}${each.repeats ? ', …' : ''}${each.optional ? '?' : ''}`)
  return `${name}(${parameterNames.join(', ')})`
}

/**
 * This section is generated from the definition of the formula language, so it lists exactly the functions that exist.
 */
export const formulas: GuideSection = {
  id: 'formulas',
  title: 'Formulas',
  keywords: 'derived series language functions operators zscore sma ema rollcorr',
  blocks: [
    'A formula makes a new series from those in the chart: `a / b`, `zscore(a, 240)`, `ema(a, 20) - ema(a, 60)`. It may contain parentheses, the four operators, powers, comparisons and the functions below.',
    'A formula reaches the other columns of a series with a dot: `a.high - a.low` of candles `a`.',
    'The values in the visible range are shown while you type. “Save as function” keeps a formula as a function of the series that it names. Such a function is expanded before a formula that uses it is stored: workspaces, studies, boards, reports and the ledger contain the expanded formula.',
    ...languageRules.flatMap(({ title, description }) => [{ heading: title }, description]),
    { heading: 'Functions' },
    'A question mark marks an optional argument.',
    ...functionGroups.flatMap(({ title, functions }) => [
      { heading: title },
      {
        terms: functions.map(
          (each) => [`\`${callText(each)}\``, `${each.description}. For example \`${each.example}\`.`] as const,
        ),
      },
    ]),
  ],
}
