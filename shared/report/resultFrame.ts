import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { type Frame, numbersOfTexts } from '#shared/contract/frame.ts'
import { isShownInBps } from '#shared/sheet/columns.ts'
import { kindOfUnit, type NumberKind, SHOWN_RATE } from '#shared/units/numberKinds.ts'
import { isNumberType } from '#shared/sql/resultType.ts'

/** Kind of number by which a column is shown. */
export const numberKindOf = ({ unit, quantity }: Pick<SqlColumnFacts, 'unit' | 'quantity'>): NumberKind =>
  kindOfUnit(unit) ?? (quantity === 'rate' ? quantity : 'statistic')

/** Tells whether a column has rates of funding, which are shown in basis points. */
export const isFundingRate = (column: SqlColumnFacts): boolean =>
  column.kind === 'number' && isShownInBps({ kind: numberKindOf(column), unit: column.unit ?? 'none' })

/** Names the columns of a frame as the query does, numbers repeated names, and reads all numbers as such. */
export function namedFrame(
  { rows, columns }: Frame,
  { columns: facts }: { columns: readonly SqlColumnFacts[] },
): Frame {
  const usedNames = new Set<string>()
  return {
    rows,
    columns: columns.map((column, at) => {
      let { name } = facts[at]
      for (let number = 1; usedNames.has(name); number++) name = `${facts[at].name}_${number}`
      usedNames.add(name)
      // Decimals, and integers too long for a double, are texts with all their digits.
      const isNumber = column.kind === 'text' && isNumberType(facts[at].type)
      return { ...(isNumber ? numbersOfTexts(column) : column), name }
    }),
  }
}

/** Converts rates of funding to the basis points in which a chart and a profile show them. */
export const inShownUnits = (
  { rows, columns }: Frame,
  { columns: facts }: { columns: readonly SqlColumnFacts[] },
): Frame => ({
  rows,
  columns: columns.map((column, at) =>
    column.kind === 'number' && isFundingRate(facts[at])
      ? { ...column, values: column.values.map((value) => value * SHOWN_RATE.factor) }
      : column,
  ),
})
