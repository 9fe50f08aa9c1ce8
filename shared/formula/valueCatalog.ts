import { cellwise, choose } from './cellwise.ts'
import { type FormulaFunction, repeated, value } from './formulaFunction.ts'
import { sharedUnit, withUnit } from './operand.ts'

const x = value('x')
const pair = [value('a'), value('b')]

/** Declares a function of the value of a row alone. */
function ofValue(name: string, description: string, of: (x: number) => number, keepsUnit = false): FormulaFunction {
  return {
    name,
    parameters: [x],
    description,
    example: `${name}(a)`,
    apply: ({ operands }) => withUnit(cellwise(operands, of), keepsUnit ? sharedUnit(operands) : null),
  }
}

const extreme = (name: string, description: string, of: (a: number, b: number) => number): FormulaFunction => ({
  name,
  parameters: [x, repeated(value('y'))],
  description,
  example: `${name}(a, b)`,
  apply: ({ operands }) =>
    withUnit(
      operands.reduce((a, b) => cellwise([a, b], of)),
      sharedUnit(operands),
    ),
})

/** Functions that look at nothing but the row itself. */
export const valueFunctions: FormulaFunction[] = [
  ofValue('abs', 'Without its sign', Math.abs, true),
  ofValue('sign', '1 above 0, −1 below, 0 at 0', Math.sign),
  ofValue('log', 'Natural logarithm; missing where x is not above 0', Math.log),
  ofValue('exp', 'e to the power of x; missing where that is too large', Math.exp),
  ofValue('sqrt', 'Square root; missing where x is below 0', Math.sqrt),
  extreme('min', 'The lowest of its arguments in each row; for a window see quantile(x, n, 0)', Math.min),
  extreme('max', 'The highest of its arguments in each row; for a window see quantile(x, n, 1)', Math.max),
  {
    name: 'clip',
    parameters: [x, value('low'), value('high')],
    description: 'x, but not below low and not above high; missing where low is above high',
    example: 'clip(a, -3, 3)',
    apply: ({ operands: [of, low, high] }) => {
      const isRange = cellwise([low, high], (from, to) => (from <= to ? 1 : NaN))
      const raised = cellwise([of, low], Math.max)
      const within = cellwise([raised, high], Math.min)
      return withUnit(
        cellwise([within, isRange], (inside) => inside),
        sharedUnit([of, low, high]),
      )
    },
  },
  {
    name: 'if',
    parameters: [value('condition'), value('yes'), value('no')],
    description: 'yes where the condition is not 0, no where it is 0; only the chosen one must be present',
    example: 'if(a > 0, a, 0)',
    apply: ({ operands: [condition, yes, no] }) => withUnit(choose(condition, yes, no), sharedUnit([yes, no])),
  },
  {
    name: 'spread',
    parameters: pair,
    description: 'a − b',
    example: 'spread(a, b)',
    apply: ({ operands }) =>
      withUnit(
        cellwise(operands, (a, b) => a - b),
        sharedUnit(operands),
      ),
  },
  {
    name: 'ratio',
    parameters: pair,
    description: 'a over b; missing where b is 0',
    example: 'ratio(a, b)',
    apply: ({ operands }) =>
      withUnit(
        cellwise(operands, (a, b) => a / b),
        sharedUnit(operands) && 'none',
      ),
  },
  {
    name: 'bps',
    parameters: pair,
    description: 'a against b in basis points: (a / b − 1) · 10 000; missing where b is 0',
    example: 'bps(a, b)',
    apply: ({ operands }) =>
      withUnit(
        cellwise(operands, (a, b) => ((a - b) / b) * 1e4),
        'bps',
      ),
  },
]
