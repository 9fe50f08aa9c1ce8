import type { OpenedSql, SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { sqlText } from '../../text/sql.ts'

const integers = /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/
const figures = numberFormat('statistic')

/** Name of a column in the frames of a result; a query may give one name to several. */
export const keyOf = (at: number): string => `c${at}`

/** Describes the columns of a result: type and unit in the header, and the warning where units are mixed. */
export const resultColumns = (columns: readonly SqlColumnFacts[]): TableColumn[] =>
  columns.map((column, at) => {
    const { name, kind, unit, warning } = column
    return {
      key: keyOf(at),
      title: warning === null ? name : `${name} ⚠`,
      kind: kind === 'number' ? 'statistic' : kind,
      ...(unit !== null && unit !== 'none' && { unit }),
      hint: hintOf(column),
      ...(kind === 'number' && { format: numberOf(column) }),
      ...(kind === 'text' && { widthPx: 170 }),
    }
  })

function hintOf({ type, unit, warning }: SqlColumnFacts): string {
  const facts = [type, unit].filter(Boolean).join(' · ')
  return warning === null ? facts : `${sqlText.result.mixed(warning)}. ${facts}`
}

/** Writes whole numbers with all their digits, and others with those of their own size. */
const numberOf =
  ({ type }: SqlColumnFacts) =>
  (value: number | string): string => {
    if (typeof value !== 'number') return value
    return integers.test(type) || !Number.isFinite(value) ? exactNumber(value) : figures(value)
  }

/** Names the columns of a frame as the query does, with numbers behind names that are taken. */
export function namedFrame({ rows, columns }: Frame, { columns: facts }: Pick<OpenedSql, 'columns'>): Frame {
  const taken = new Set<string>()
  return {
    rows,
    columns: columns.map((column, at) => {
      let { name } = facts[at]
      for (let number = 1; taken.has(name); number++) name = `${facts[at].name}_${number}`
      taken.add(name)
      return { ...column, name }
    }),
  }
}
