import {
  commonUnit,
  divideUnits,
  multiplyUnits,
  NO_UNIT,
  raiseUnit,
  functionUnit,
  unitText,
  unitWarning,
} from '#shared/units/measureUnits.ts'
import type { Unit } from '#shared/units/measureUnits.ts'
import { formulaFunction } from './functionTable.ts'
import { type BinaryOperator, childrenOf, type FormulaNode } from './tree.ts'

/** Unit of a formula's result, with warnings to show beside the number. */
export interface FormulaUnit {
  /** Unit of the result; null only if a column's unit is undocumented, which adds a warning. */
  unit: string | null
  unitWarnings: string[]
}

interface UnitSources {
  unitOf(series: string): Unit
  /** Returns the value of a part without series; null if the part names a series. */
  constantOf(node: FormulaNode): number | null
}

/**
 * Computes the unit of a formula from the units of its columns, without any rows. A constant is compatible with any
 * unit. If units that must agree differ, the result is mixed.
 */
export function formulaUnit(node: FormulaNode, { unitOf, constantOf }: UnitSources): FormulaUnit {
  const warnings = new Set<string>()
  const unitByNode = new Map<FormulaNode, Unit | null>()
  /** Computes the unit of a part; null for a constant. */
  const visit = (part: FormulaNode): Unit | null => {
    const knownUnit = unitByNode.get(part)
    if (knownUnit !== undefined) return knownUnit
    const unit = unitOfPart(part)
    unitByNode.set(part, unit)
    const warning = unit && unitWarning(unit)
    if (warning) warnings.add(warning)
    return unit
  }
  const common = (units: readonly (Unit | null)[]): Unit => {
    const unit = commonUnit(units.filter((one) => one !== null))
    const warning = unitWarning(unit)
    if (warning) warnings.add(warning)
    return unit
  }
  const unitOfPart = (part: FormulaNode): Unit | null => {
    if (part.kind === 'number' || part.kind === 'text') return null
    if (part.kind === 'series') return unitOf(part.name)
    const units = childrenOf(part).map(visit)
    // A call without arguments depends on the rows of the formula.
    const hasNoArguments = part.kind === 'call' && part.args.length === 0
    if (units.every((unit) => unit === null) && !hasNoArguments) return null
    if (part.kind === 'unary') return part.operator === 'not' ? NO_UNIT : units[0]
    if (part.kind === 'call') return formulaFunction(part.name)?.unit({ units, common }) ?? NO_UNIT
    const [left, right] = units
    if (part.operator === '^') return powerUnit(left, constantOf(part.right))
    return operatorUnit(part.operator, left, right, common)
  }
  const unit = visit(node) ?? NO_UNIT
  if (unit.kind === 'unknown') warnings.add('unit unknown: the documentation does not describe one of the columns')
  return { unit: unitText(unit), unitWarnings: [...warnings] }
}

function powerUnit(base: Unit | null, exponent: number | null): Unit {
  if (base === null) return NO_UNIT
  return exponent === null ? functionUnit('power', base) : raiseUnit(base, exponent)
}

function operatorUnit(
  operator: BinaryOperator,
  left: Unit | null,
  right: Unit | null,
  commonUnit: (units: readonly (Unit | null)[]) => Unit,
): Unit {
  switch (operator) {
    case '+':
    case '-':
    case '%':
      return commonUnit([left, right])
    case '*':
      return multiplyUnits(left ?? NO_UNIT, right ?? NO_UNIT)
    case '/':
      return divideUnits(left ?? NO_UNIT, right ?? NO_UNIT)
    case 'and':
    case 'or':
      return NO_UNIT
    default:
      commonUnit([left, right])
      return NO_UNIT
  }
}
