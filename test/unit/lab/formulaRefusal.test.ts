import { FormulaError } from '#shared/formula/formulaError.ts'
import { tokensOf } from '#shared/formula/tokens.ts'
import { formulaRefusal } from '#shared/lab/formulaRefusal.ts'
import { expect, test } from 'vitest'

test('the refusal of a formula that is too long repeats only its start', () => {
  const formula = Array.from({ length: 5000 }, () => 'close').join(' + ')
  const refused = () => {
    try {
      tokensOf(formula)
    } catch (error) {
      if (error instanceof FormulaError) throw formulaRefusal('signal', formula, error)
    }
  }
  expect(refused).toThrow(/A formula may have at most 10000 characters \(at .{80}…\)\.$/)
})
