import { parseFormula } from './parseFormula.ts'
import { seriesNamesOf } from './tree.ts'

/** Lists the columns in formulas; a formula that cannot be parsed has none. */
export function columnsNamed(formulas: readonly string[]): string[] {
  const names = formulas.flatMap((formula) => {
    try {
      return seriesNamesOf(parseFormula(formula))
    } catch {
      return []
    }
  })
  return [...new Set(names)]
}
