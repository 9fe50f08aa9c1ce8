import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { input, inputs } from './formulaInputs.ts'

const named = inputs({ close: input([1, 2, 3]), open: input([1, 2, 3]), 'a b': input([1]) })

function errorOf(formula: string): FormulaError {
  try {
    evaluateFormula(formula, named)
  } catch (error) {
    if (error instanceof FormulaError) return error
    throw error
  }
  throw new Error(`no error in ${formula}`)
}

describe('an error', () => {
  it.each([
    // The second text marks the place of the error below the first.
    ['close + $', '        ^', /\$ has no meaning/],
    ['close = 2', '      ^', /Write ==/],
    ['close +', '       ', /Expected a number, a series or a function, but the formula ends/],
    ['', '', /but the formula ends/],
    ['close open', '      ^^^^', /Expected an operator/],
    ['(close + 1', '^', /not closed/],
    ['close)', '     ^', /Expected an operator/],
    ['"close', '^', /quote is not closed/],
    ['1 + own_x."a b" * 2', '    ^^^^^^^^^^^', /^Quotes go around the whole name: "own_x.a b"\.$/],
    ['"own_x"."a b"', '^^^^^^^^^^^^^', /whole name: "own_x.a b"/],
    ["close + ohlcv.'a'", '        ^^^^^^^^^', /whole name: "ohlcv.a"/],
    ['own_x.a b', '        ^', /but there is b\. A name with blanks or signs is quoted as a whole: "own_x\.…"/],
    ['own_x.a & b', '        ^', /Write “and”\. A name with blanks or signs is quoted as a whole/],
    ['own_x.Qty (close)', '^^^^^^^^^', /no function own_x.Qty\. A name with blanks or signs is quoted as a whole/],
    ['events(close)', '^^^^^^^^^^^^^', /without a column: events\(own_NAME\)/],
    ["since('own_x')", '^^^^^^^^^^^^^^', /without a column: since\(own_NAME\)/],
    ['clse * 2', '^^^^', /no series clse\. Did you mean close\?/],
    ['sam(close, 2)', '^^^', /no function sam\. Did you mean s/],
    ['close + sma', '        ^^^', /sma is a function: it needs parentheses/],
    ['sma(close)', '^^^^^^^^^^', /sma\(x, n, \[least\]\)/],
    ['abs(close, 1, 2)', '           ^^^^^', /abs\(x\)/],
    ['sma(3, 2)', '    ^', /A series is needed/],
    ['sma(close, open)', '           ^^^^', /same for all rows/],
    ['sma(close, 2.5)', '           ^^^', /whole number/],
    ['sma(close, 2000000)', '           ^^^^^^^', /whole number of rows from 1 to 1000000/],
    ["sma(close, 'day')", '           ^^^^^', /a duration such as '1d'/],
    ["sma(close, '0m')", '           ^^^^', /a duration such as '1d'/],
    ["sma(close, '9999d')", '           ^^^^^^^', /14398560 rows of 1m; the limit is 1000000/],
    ["sma(close, 20, '1h')", '               ^^^^', /Text in single quotes is allowed only where/],
    ['lag(close, -1)', '           ^^', /not known yet/],
    ['sma(close, 2, 3)', '^^^^^^^^^^^^^^^^', /never has 3 values/],
    ['quantile(close, 2, 50)', '^^^^^^^^^^^^^^^^^^^^^^', /from 0 to 1/],
    ["resample(close, '7x', 'sum')", '                ^^^^', /divides a day/],
    ["resample(close, '1h', 'median')", '                      ^^^^^^^^', /'mean'/],
    ["resample(close, '15s', 'sum')", '^^^^^^^^^^^^^^^^^^^^^^^^^^^^^', /multiple of the interval/],
    ["resample(close, '1h')", '^^^^^^^^^^^^^^^^^^^^^', /Give a method/],
    ['1 < close < 3', '  ^^^^^^^^^', /cannot be chained/],
    ["'close'", '^^^^^^^', /double quotes/],
    ['1 + 1', '^^^^^', /at least one series/],
    ['1e999', '^^^^^', /too large/],
  ])('of %s points there', (formula, marked, expected) => {
    const { start, end, message } = errorOf(formula)
    expect(message).toMatch(expected)
    const markStart = marked.indexOf('^')
    expect([start, end]).toEqual(markStart < 0 ? [formula.length, formula.length] : [markStart, marked.length])
  })

  it('says that a formula is too long or too deep', () => {
    expect(errorOf('1'.repeat(10_001)).message).toMatch(/at most 10000 characters/)
    expect(errorOf(`${'('.repeat(4999)}1${')'.repeat(4999)}`).message).toMatch(/nested operations/)
    expect(errorOf(`close${' + 1'.repeat(2000)}`).message).toMatch(/nested operations/)
    expect(errorOf('-'.repeat(9000)).message).toMatch(/nested operations/)
    expect(errorOf(`${'2^'.repeat(4000)}2`).message).toMatch(/nested operations/)
    expect(errorOf('not '.repeat(2000)).message).toMatch(/nested operations/)
  })

  it('is all that any text can come to', () => {
    const tokens = [
      ...formulaFunctions.map(({ name }) => `${name}(`),
      'close',
      'open',
      '"a b"',
      ' and ',
      ' or ',
      'not ',
    ]
    const pieces = fc.constantFrom(...tokens, ...'+-*/%^<>=!(),.0129', "'1h'", "'sum'", '1e6', '"', "'", '\u2212', '🐉')
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(pieces, { maxLength: 40 }).map((some) => some.join('')),
    )
    fc.assert(
      fc.property(text, (formula) => {
        try {
          const { values, valid } = evaluateFormula(formula, named)
          expect([...values].every((value, row) => valid?.[row] === 0 || Number.isFinite(value))).toBe(true)
        } catch (error) {
          if (!(error instanceof FormulaError)) throw error
          expect(error.start).toBeLessThanOrEqual(error.end)
          expect(error.end).toBeLessThanOrEqual(formula.length)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
