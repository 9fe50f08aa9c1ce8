import type { FormulaFunction } from '#shared/formula/formulaFunction.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { languageRules } from '#shared/formula/languageRules.ts'
import type { GuideSection } from '../guideSection.ts'

function callOf({ name, parameters }: FormulaFunction): string {
  const parameterNames = parameters.map((each) => `${each.name}${each.repeats ? ', …' : ''}${each.optional ? '?' : ''}`)
  return `${name}(${parameterNames.join(', ')})`
}

/** Made from the language itself: what it does not know cannot stand here, and what it knows cannot be missing. */
export const formulas: GuideSection = {
  id: 'formulas',
  title: 'Formulas',
  keywords: 'derived series language functions operators zscore sma ema rollcorr',
  blocks: [
    'A formula makes a new series of those in the chart: `a / b`, `zscore(a, 240)`, `ema(a, 20) - ema(a, 60)`. Parentheses, the four operators, powers, comparisons and the functions below may be combined.',
    ...languageRules.flatMap(({ title, description }) => [{ heading: title }, description]),
    { heading: 'Functions' },
    'A question mark stands behind what may be left out.',
    {
      terms: formulaFunctions.map(
        (one) => [`\`${callOf(one)}\``, `${one.description}. For example \`${one.example}\`.`] as const,
      ),
    },
  ],
}
