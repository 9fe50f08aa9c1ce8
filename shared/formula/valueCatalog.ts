import { MS_PER_DAY } from '#shared/time.ts'
import { areSameSizes, type DatedSizes, sizeAt } from '#shared/units/contractSizes.ts'
import { wholeTime } from '#shared/units/instants.ts'
import {
  contractsIn,
  inBaseAsset,
  isPureNumber,
  multiplyUnits,
  NO_UNIT,
  raiseUnit,
  functionUnit,
  unitText,
} from '#shared/units/measureUnits.ts'
import type { Unit } from '#shared/units/measureUnits.ts'
import { cellwise, choose } from './cellwise.ts'
import type { Operand } from './operand.ts'
import {
  type CallArguments,
  type FormulaFunction,
  optional,
  series,
  fixedUnit,
  firstUnit,
  repeated,
  sharedUnit,
  type UnitCall,
  value,
} from './formulaFunction.ts'

const x = value('x')
const pair = [value('a'), value('b')]

/** Declares a function of a single row's value. */
function ofValue(
  name: string,
  description: string,
  compute: (x: number) => number,
  unit: FormulaFunction['unit'],
): FormulaFunction {
  return {
    name,
    parameters: [x],
    description,
    example: `${name}(a)`,
    unit,
    apply: ({ operands }) => cellwise(operands, compute),
  }
}

const extreme = (name: string, description: string, compute: (a: number, b: number) => number): FormulaFunction => ({
  name,
  parameters: [x, repeated(value('y'))],
  description,
  example: `${name}(a, b)`,
  unit: sharedUnit,
  apply: ({ operands }) => operands.reduce((a, b) => cellwise([a, b], compute)),
})

/** Declares the conditional function under one of its two names. */
const conditionalFunction = (name: string, example: string): FormulaFunction => ({
  name,
  parameters: [value('condition'), value('yes'), value('no')],
  description: 'yes where the condition is not 0, no where it is 0; only the chosen one must be present',
  example,
  unit: ({ units, common }) => common(units.slice(1)),
  apply: ({ operands: [condition, yes, no] }) => choose(condition, yes, no),
})

const wrappedUnit =
  (name: string) =>
  ({ units: [unit] }: UnitCall): Unit =>
    functionUnit(name, unit ?? NO_UNIT)

/** Computes the unit of a square root, in which every exponent is halved. */
const rootUnit = ({ units: [unit] }: UnitCall): Unit => raiseUnit(unit ?? NO_UNIT, 0.5)

/** Computes the unit of an exponential, which for a logarithmic return is a growth factor without unit. */
function exponentialUnit({ units: [unit] }: UnitCall): Unit {
  if (unit === null || isPureNumber(unit) || unitText(unit) === 'log return') return NO_UNIT
  return functionUnit('exp', unit)
}

const comparedUnit = ({ units, common }: UnitCall, result: Unit): Unit => {
  const unit = common(units)
  return unit.kind === 'known' ? result : unit
}

/** Converts a notional, or an amount and its price, to quote currency. */
function convertToQuote(call: CallArguments): Operand {
  const {
    operands: [x, price],
    units: [unit, priceUnit],
    contractSizes: [sizes = [], ...otherSizes],
    refuse,
  } = call
  if (!unit || unit.kind !== 'known') return refuse('The unit of x must be known and not mixed.')
  const notionalUnit = inBaseAsset(multiplyUnits(unit, priceUnit ?? NO_UNIT))
  if (unitText(notionalUnit) !== 'quote') {
    const foundText = priceUnit ? `x times price is in ${unitText(notionalUnit)}` : `x is in ${unitText(unit)}`
    return refuse(`A notional is needed, or an amount and its price; ${foundText}.`)
  }
  const power = contractsIn(unit)
  if (power !== 0 && (sizes.length === 0 || !otherSizes.every((other) => areSameSizes(sizes, other))))
    return refuse(
      'The contract size of the series is not known, or differs from series to series: enter it under Settings → Instruments or with “perpscope instruments import”.',
    )
  const scaled = power === 0 ? x : scaledBySize(x, sizes, power, call.note)
  return price === undefined ? scaled : cellwise([scaled, price], (a, b) => a * b)
}

/** Multiplies each row by a power of the contract size valid at its time; missing where none is. */
function scaledBySize(x: Operand, sizes: DatedSizes, power: number, note: CallArguments['note']): Operand {
  const [first] = sizes
  if (typeof x === 'number' || (sizes.length === 1 && first.fromMs === -Infinity))
    return cellwise([x], (value) => value * first.size ** power)
  const timeOf = (row: number) => (x.firstSlot + row) * x.intervalMs
  const factors = Float64Array.from(x.values, (_, row) => (sizeAt(sizes, timeOf(row)) ?? NaN) ** power)
  if (x.values.length > 0 && timeOf(0) < first.fromMs)
    note(`inquote: no contract size is known before ${wholeTime(first.fromMs, 'utc', MS_PER_DAY)}`)
  return cellwise([x, { ...x, values: factors, valid: null }], (value, factor) => value * factor)
}

/** Functions of the values of one row. */
export const valueFunctions: FormulaFunction[] = [
  ofValue('abs', 'Absolute value', Math.abs, firstUnit),
  ofValue('sign', '1 above 0, −1 below, 0 at 0', Math.sign, fixedUnit('none')),
  ofValue('log', 'Natural logarithm; missing where x is not above 0', Math.log, wrappedUnit('ln')),
  ofValue('exp', 'e to the power of x; missing where that is too large', Math.exp, exponentialUnit),
  ofValue('sqrt', 'Square root; missing where x is below 0', Math.sqrt, rootUnit),
  extreme('min', 'The lowest of its arguments in each row; for a window see rollmin(x, n)', Math.min),
  extreme('max', 'The highest of its arguments in each row; for a window see rollmax(x, n)', Math.max),
  {
    name: 'clip',
    parameters: [x, value('low'), value('high')],
    description: 'x, but not below low and not above high; missing where low is above high',
    example: 'clip(a, -3, 3)',
    unit: sharedUnit,
    apply: ({ operands: [values, low, high] }) => {
      const rangeMask = cellwise([low, high], (from, to) => (from <= to ? 1 : NaN))
      const raised = cellwise([values, low], Math.max)
      const within = cellwise([raised, high], Math.min)
      return cellwise([within, rangeMask], (inside) => inside)
    },
  },
  conditionalFunction('if', 'if(a > 0, a, 0)'),
  conditionalFunction('where', 'where(a > 0, a, b)'),
  {
    name: 'spread',
    parameters: pair,
    description: 'a − b',
    example: 'spread(a, b)',
    unit: sharedUnit,
    apply: ({ operands }) => cellwise(operands, (a, b) => a - b),
  },
  {
    name: 'inquote',
    parameters: [series('x'), optional(series('price'))],
    description:
      'x in quote currency: a notional, or an amount and its price. Contracts are converted with the contract size of each time that you gave under Settings → Instruments',
    example: 'inquote(a, b)',
    readsUnits: true,
    unit: fixedUnit('quote'),
    apply: convertToQuote,
  },
  {
    name: 'ratio',
    parameters: pair,
    description: 'a over b; missing where b is 0',
    example: 'ratio(a, b)',
    unit: (call) => comparedUnit(call, NO_UNIT),
    apply: ({ operands }) => cellwise(operands, (a, b) => a / b),
  },
  {
    name: 'bps',
    parameters: pair,
    description: 'a against b in basis points: (a / b − 1) · 10 000; missing where b is 0',
    example: 'bps(a, b)',
    unit: (call) => comparedUnit(call, fixedUnit('bps')()),
    apply: ({ operands }) => cellwise(operands, (a, b) => ((a - b) / b) * 1e4),
  },
]
