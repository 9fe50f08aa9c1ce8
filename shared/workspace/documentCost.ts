import { FormulaError } from '../formula/formulaError.ts'
import { tokensOf } from '../formula/tokens.ts'

/**
 * Maximum number of tokens in all formulas of a workspace, each including the formulas it names. A chart parses them
 * all when it opens, which takes a few milliseconds per 20,000 tokens.
 */
const MAX_TOKENS = 200_000

/** Maximum number of characters in all formulas of a workspace, checked before any is parsed. */
const MAX_CHARACTERS = 200_000

const TOO_COSTLY = 'The formulas are too many or too long to be computed.'

interface NamedFormula {
  name: string
  /** Formula of the series; null for a column. */
  formula: string | null
}

/** Returns a message if the formulas of a document are too costly to compute; null if they are not. */
export function formulaCostProblem(entries: readonly NamedFormula[]): string | null {
  const characters = entries.reduce((sum, { formula }) => sum + (formula?.length ?? 0), 0)
  if (characters > MAX_CHARACTERS) return TOO_COSTLY
  const sizeByName = new Map<string, { tokens: number; names: Set<string> }>()
  for (const { name, formula } of entries)
    sizeByName.set(name, formula === null ? { tokens: 1, names: new Set() } : sizeOf(formula))
  let tokens = 0
  for (const { name } of entries) {
    const reachedNames = new Set<string>([name])
    for (const each of reachedNames) {
      const found = sizeByName.get(each)
      if (!found) continue
      tokens += found.tokens
      if (tokens > MAX_TOKENS) return TOO_COSTLY
      for (const usedName of found.names) reachedNames.add(usedName)
    }
  }
  return null
}

function sizeOf(formula: string): { tokens: number; names: Set<string> } {
  try {
    const tokens = tokensOf(formula)
    const names = tokens.filter(({ kind }) => kind === 'name' || kind === 'quoted').map(({ text }) => text)
    return { tokens: tokens.length, names: new Set(names) }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { tokens: formula.length, names: new Set() }
  }
}
