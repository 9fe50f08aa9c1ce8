/**
 * Reads and lowers the upper limits for the figures of `npm run shape`, which a test enforces. They never rise: `npm
 * run shape -- --tighten` lowers them to today's figures.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { at } from '../project.mjs'
import { LONGEST_FUNCTION } from './measure.mjs'

const file = at('scripts', 'shape', 'budgets.json')

export const readBudgets = () => JSON.parse(readFileSync(file, 'utf8'))

/** Selects the figures that have a budget. */
export function budgetedFigures({ fragments, components, longFunctions, hanging, phrases, forbidden, duplicates }) {
  return {
    fragments: fragments.length,
    fragmentsWithComponents: fragments.length + components.length,
    functionsOver120Lines: longFunctions.filter(({ lines }) => lines > LONGEST_FUNCTION).length,
    hangingComments: hanging.length,
    nounPhrasesOnFunctions: phrases.length,
    forbiddenNamesAndPhrases: forbidden.length,
    duplicates: duplicates.length,
  }
}

const lowerEach = (budgets, figures) => {
  for (const [name, figure] of Object.entries(figures)) budgets[name] = Math.min(budgets[name] ?? figure, figure)
  return budgets
}

/** Lowers each budget to today's figure if that is smaller, and saves them. */
export function tightenBudgets(figures, filesOfFlow) {
  const { filesOfFlow: known = {}, ...others } = readBudgets()
  const budgets = { ...lowerEach(others, figures), filesOfFlow: lowerEach(known, filesOfFlow) }
  writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`)
  return budgets
}
