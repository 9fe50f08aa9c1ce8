import { cellOf, type Column, type Frame, numbersOfTexts } from '#shared/contract/frame.ts'
import { MS_PER_DAY, MS_PER_MINUTE } from '#shared/time.ts'
import { precisionOf } from '#shared/units/instants.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { isShownInBps } from '#shared/sheet/columns.ts'
import { kindOfUnit, numberText, SHOWN_RATE } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import {
  definitionVersions,
  plainCell,
  type ReportCell,
  type ReportChart,
  type ReportContent,
  type ReportPart,
  reportNumber,
  reportTime,
} from './reportContent.ts'

/** Maximum number of rows of a result in a report. */
export const MOST_SQL_ROWS = 5000
/** Maximum number of cells of a result in a report. */
const MOST_CELLS = 15_000
/** Title of the table of a query's parameters. */
export const PARAMETERS = 'Parameters'
/** Index of the last column that may be charted. */
const LAST_CHARTED = 8

interface SqlReportColumn extends Pick<SqlColumnFacts, 'name' | 'unit' | 'quantity' | 'warning'> {
  /** True for numbers that the frame may have as texts: decimals and long integers. */
  isNumber?: boolean
}

interface SqlReportInput {
  name?: string | undefined
  sql: string
  parameters: Readonly<Record<string, string>>
  columns: readonly SqlReportColumn[]
  frame: Frame
  /** Number of rows in the complete result. */
  rows: number
  warnings: readonly string[]
  /** Chart that was chosen; without one, the numbers are drawn over the times. */
  chosen?: readonly ReportPart[] | undefined
}

/** Builds a report of a query's result. */
export function sqlReport({
  name,
  sql,
  parameters,
  columns,
  frame,
  rows,
  warnings,
  chosen,
}: SqlReportInput): Pick<ReportContent, 'title' | 'subtitle' | 'parts' | 'definitions' | 'warnings' | 'resultRows'> {
  const shownCount = Math.min(frame.rows, Math.floor(MOST_CELLS / Math.max(1, columns.length)))
  const parameterRows = Object.entries(parameters).map(([name, value]) => [`$${name}`, value])
  const rowsLeft = rows - shownCount
  const steps = frame.columns.map(stepOf)
  const parts: ReportPart[] = [
    { kind: 'code', title: 'Query', text: sql },
    ...(parameterRows.length > 0
      ? [{ kind: 'table' as const, title: PARAMETERS, columns: ['Name', 'Value'], rows: parameterRows }]
      : []),
    ...(chosen ?? chartsOf(columns, frame)),
    {
      kind: 'table',
      title: 'Result',
      columns: columns.map(({ name, unit }) => (unit === null || unit === 'none' ? name : `${name} (${unit})`)),
      rows: Array.from({ length: shownCount }, (_, row) =>
        frame.columns.map((column, at) => cellText(column, row, columns[at], steps[at])),
      ),
      ...(rowsLeft > 0 && { note: `${plainPlural(rowsLeft, 'more row')} not shown here.` }),
      ...(rows === 0 && { note: 'The query returned no rows.' }),
    },
  ]
  return {
    title: name || 'SQL result',
    subtitle: `${plainPlural(rows, 'row')}, ${plainPlural(columns.length, 'column')}`,
    parts,
    definitions: definitionVersions(['sql.dialect']),
    resultRows: rows,
    warnings: [
      ...columns.flatMap(({ name, warning }) => (warning === null ? [] : [`${name}: ${warning}`])),
      ...warnings,
    ],
  }
}

/** Returns the step of a time column: a day if no value has a time of day, else a minute. */
const stepOf = (column: Column): number =>
  column.kind === 'time' && precisionOf(column.values) === 'day' ? MS_PER_DAY : MS_PER_MINUTE

/** Tells whether a column has rates of funding, which are shown in basis points. */
const isFundingRate = ({ unit, quantity }: SqlReportColumn): boolean =>
  quantity === 'rate' && isShownInBps({ kind: quantity, unit: unit ?? 'none' })

function cellText(column: Column, row: number, facts: SqlReportColumn, stepMs: number): ReportCell {
  const cell = cellOf(column, row)
  if (column.kind === 'time' && typeof cell === 'number') return reportTime(cell, stepMs)
  if (typeof cell !== 'number') return cell
  const { unit } = facts
  if (isFundingRate(facts) && Number.isFinite(cell))
    return { value: cell, text: `${numberText(SHOWN_RATE.kind, cell * SHOWN_RATE.factor)} ${SHOWN_RATE.kind}` }
  const kind = kindOfUnit(unit)
  return kind === null ? plainCell(cell) : (reportNumber(cell, kind) ?? plainCell(cell))
}

/**
 * Draws the numeric columns among the first nine over the first time column. Returns no charts if there is no time
 * column, if a time is missing or occurs twice, or if there are fewer than two rows.
 */
function chartsOf(columns: SqlReportInput['columns'], frame: Frame): ReportChart[] {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  if (time?.kind !== 'time' || time.valid?.includes(0) || frame.rows < 2) return []
  const rowsByTime = Array.from(time.values.keys()).sort((a, b) => time.values[a] - time.values[b])
  const x = Float64Array.from(rowsByTime, (row) => time.values[row])
  if (x.some((place, at) => at > 0 && place === x[at - 1])) return []
  return frame.columns.flatMap((found, at): ReportChart[] => {
    const column = found.kind === 'text' && columns[at].isNumber === true ? numbersOfTexts(found) : found
    if (column.kind !== 'number' || at > LAST_CHARTED) return []
    const { name: label, values, valid } = column
    const shownRate = isFundingRate(columns[at]) ? SHOWN_RATE : null
    const unit = shownRate?.unit ?? columns[at].unit ?? undefined
    const numberKind = shownRate?.kind ?? kindOfUnit(columns[at].unit) ?? 'statistic'
    const factor = shownRate?.factor ?? 1
    const chartValues = Float64Array.from(rowsByTime, (row) => (valid && !valid[row] ? NaN : values[row] * factor))
    const series = { label, numberKind, x, values: chartValues, ...(unit !== undefined && { unit }) }
    return [{ kind: 'chart', title: label, style: 'line', names: null, series: [series] }]
  })
}
