import { expect, it } from 'vitest'
import { SqlFailed, SqlRefused } from '#core/sql/sqlErrors.ts'
import { evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { formulaRefusal } from '#shared/lab/formulaRefusal.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { cutWords } from '#shared/units/cutWords.ts'

const long = 'o'.repeat(5000)
const refusedBy = (formula: string) => {
  try {
    evaluateFormula(formula, new Map())
  } catch (thrown) {
    if (thrown instanceof FormulaError) return thrown
  }
  throw new Error('The formula is not refused.')
}

it.each([long, `${long}(1)`, `"${long} ${long}"`, `sma(1 ${long}`, `lag(1, '${long}')`, `1 + ${'9'.repeat(4000)}x`])(
  'a message repeats the start of a long name, however it is wrong: %.20s',
  (formula) => {
    const refusal = refusedBy(formula)
    expect(refusal.message.length).toBeLessThan(400)
    expect(formulaRefusal('signal', formula, refusal).message.length).toBeLessThan(600)
  },
)

it('messages on queries do, too', () => {
  const failed = new SqlFailed({ message: `Binder Error: Referenced column "${long}" not found`, line: 1, column: 8 })
  expect(failed.detail).toBe(`Binder Error: Referenced column "${'o'.repeat(60)}…" not found\nLine 1, column 8.`)
  const noTable = new SqlFailed({ message: `Table with name ${long} does not exist!`, line: null, column: null })
  expect(noTable.detail).toContain(`no table ${'o'.repeat(60)}….`)
  expect(new SqlRefused({ reason: 'file', name: long }).detail!.length).toBeLessThan(300)
})

it('the parts of a path and a sentence of many words stay whole', () => {
  const text = `There is no ${'/some-folder'.repeat(20)}; ${'choose another '.repeat(20)}`
  expect(cutWords(text)).toBe(text)
})
