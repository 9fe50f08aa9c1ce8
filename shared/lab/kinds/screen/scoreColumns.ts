import { parseFormula } from '#shared/formula/parseFormula.ts'
import { printName } from '#shared/formula/printFormula.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { crossSectionCalls, evaluateField, evaluateForSymbol, withFieldName } from '../../panelFormula.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { StudyError } from '../../studyError.ts'
import type { KindRun } from '../../studyInput.ts'
import { BYTES_OF_SHIFTS, type ScreenStudy, splitTimes } from './fields.ts'
import type { ScreenPart } from './screenPart.ts'
import { type CellScore, type LeftOut, SymbolScreen } from './symbolScreen.ts'
import { templateFiller } from './templates.ts'

const MOST_CELLS = 50_000

/** A column in a template: one formula to try. */
interface Line {
  column: string
  template: string
  formula: string
  columnField: string
  templateField: string
}

type ScoreInput = Pick<KindRun<ScreenStudy>, 'study' | 'panel' | 'onStage' | 'checkpoint'> & {
  input: Pick<KindRun<ScreenStudy>['input'], 'rules' | 'columns'> & {
    /** Place of the first column in the list of the document, of which this is a part. */
    firstColumn?: number
  }
}

/** Scores every column of a study in every template, horizon by horizon and symbol by symbol. */
export function scoreColumns({ study, panel, input, onStage, checkpoint }: ScoreInput): ScreenPart {
  const { symbols } = panel
  const { rules } = input
  const columns = columnsOf(study, panel.seriesNames, input)
  const lines = linesOf(study, columns)
  refuseTooMany(study, columns.length, symbols.length)
  onStage('formulas', 0)
  const ofSymbol = (symbol: number) => (field: string, formula: string) =>
    evaluateForSymbol(panel, { field, formula }, symbol, rules, checkpoint)
  checkLines(study, lines, ofSymbol(0))
  const price = evaluateField(panel, { field: 'price', formula: study.price, isPrice: true }, rules, checkpoint)
  const trainTimes = splitTimes(study, panel)
  const noise = new Float64Array(study.shifts).fill(NaN)
  const outcomes = new Array<CellScore | LeftOut>(symbols.length * lines.length * study.horizons.length)
  const screenOf = (symbol: number, bytesOfShifts: number) =>
    new SymbolScreen(
      {
        price: price.symbol(symbol),
        member: panel.member?.symbol(symbol) ?? null,
        intervalMs: panel.intervalMs,
        trainTimes,
        study,
        bytesOfShifts,
        checkpoint,
      },
      noise,
    )
  let done = 0
  /** Scores a line of one symbol; its cells have their places whatever the order of the work. */
  const scoreLine = (screen: SymbolScreen, symbol: number, line: number, values: Float64Array) => {
    onStage('columns', done++ / (symbols.length * lines.length))
    const from = (symbol * lines.length + line) * study.horizons.length
    const { formula } = lines[line]
    const name = symbols.length > 1 ? `${formula} of ${symbols[symbol]}` : formula
    screen.scores(values, name).forEach((outcome, at) => (outcomes[from + at] = outcome))
  }
  const isAcross = lines.map(({ formula }) => crossSectionCalls(formula) > 0)
  const peeks = symbols.map((_, symbol) => {
    // The columns of a large panel are read symbol by symbol.
    const screen = screenOf(symbol, BYTES_OF_SHIFTS)
    lines.forEach((one, line) => {
      if (!isAcross[line]) scoreLine(screen, symbol, line, withLineField(one, ofSymbol(symbol)))
    })
    return screen.peeks
  })
  if (isAcross.includes(true)) {
    const ofAll = symbols.map((_, symbol) => screenOf(symbol, BYTES_OF_SHIFTS / symbols.length))
    lines.forEach((one, line) => {
      if (!isAcross[line]) return
      const matrix = withLineField(one, (field, formula) => evaluateField(panel, { field, formula }, rules, checkpoint))
      ofAll.forEach((screen, symbol) => scoreLine(screen, symbol, line, matrix.symbol(symbol)))
      matrix.close()
    })
    peeks.push(...ofAll.map((screen) => screen.peeks))
  }
  price.close()
  return { columns: columns.map(({ column }) => column), outcomes, noise, peeks }
}

/** Joins parts whose columns follow one another. */
export function joinParts(
  parts: readonly ScreenPart[],
  { templates, horizons, shifts }: ScreenStudy,
  symbolCount: number,
): ScreenPart {
  const noise = new Float64Array(shifts).fill(NaN)
  for (const part of parts)
    part.noise.forEach((value, at) => {
      if (!(noise[at] >= value) && value === value) noise[at] = value
    })
  const outcomes: (CellScore | LeftOut)[] = []
  for (let symbol = 0; symbol < symbolCount; symbol++)
    for (const part of parts) {
      const perSymbol = part.columns.length * templates.length * horizons.length
      for (let at = symbol * perSymbol; at < (symbol + 1) * perSymbol; at++) outcomes.push(part.outcomes[at])
    }
  return {
    columns: parts.flatMap(({ columns }) => columns),
    outcomes,
    noise,
    peeks: parts.flatMap(({ peeks }) => peeks),
  }
}

/** Lists the formulas of columns in templates, the template fastest. */
export const filledLines = (columns: readonly string[], templates: readonly string[]) => {
  const fillers = templates.map((template) => templateFiller(template))
  return columns.flatMap((column) =>
    templates.map((template, at) => ({ column, template, formula: fillers[at](column) })),
  )
}

/** Lists the columns to try as formulas. */
function columnsOf(
  { columns, price }: ScreenStudy,
  seriesNames: readonly string[],
  { columns: cachedColumns, firstColumn = 0 }: ScoreInput['input'],
): { column: string; field: string }[] {
  if (columns) return columns.map((column, at) => ({ column, field: `columns[${firstColumn + at}]` }))
  const isAvailable = new Set(seriesNames)
  const priceNames = new Set(columnsNamed([price]))
  const names = cachedColumns
    ? cachedColumns.filter((name) => isAvailable.has(name))
    : seriesNames.filter((name) => !priceNames.has(name))
  return names.map((name) => ({ column: printName(name), field: 'columns' }))
}

function linesOf({ templates }: ScreenStudy, columns: readonly { column: string; field: string }[]): Line[] {
  const lines = filledLines(
    columns.map(({ column }) => column),
    templates,
  )
  return lines.map((line, at) => ({
    ...line,
    columnField: columns[Math.floor(at / templates.length)].field,
    templateField: `templates[${at % templates.length}]`,
  }))
}

/** Throws the error of a study with more cells than a screen may have, or none. */
export function refuseTooMany({ templates, horizons }: ScreenStudy, columnCount: number, symbolCount: number): void {
  if (columnCount === 0) throw new StudyError('columns', 'there is no numeric column to try.')
  const formulas = columnCount * templates.length
  const cells = symbolCount * formulas * horizons.length
  if (cells > MOST_CELLS)
    throw new StudyError(
      'columns',
      `${plainPlural(symbolCount, 'symbol')} × ${plainPlural(formulas, 'formula')} × ${plainPlural(horizons.length, 'horizon')} are ${cells} cells; a screen has at most ${MOST_CELLS}. Name fewer columns, templates, horizons or symbols.`,
    )
}

/** Evaluates a filled template; an error names the column if it is invalid by itself, and else the template. */
function withLineField<Result>(line: Line, evaluateLine: (field: string, formula: string) => Result): Result {
  try {
    return evaluateLine(line.templateField, line.formula)
  } catch (error) {
    if (!(error instanceof StudyError)) throw error
    withFieldName(line.columnField, line.column, () => parseFormula(line.column))
    evaluateLine(line.columnField, line.column)
    throw error
  }
}

/**
 * Throws the error of the first column or template that cannot be evaluated, before any work. A column that the study
 * does not name is a number of the rows; a formula across symbols is evaluated later.
 */
function checkLines(
  { columns, templates }: ScreenStudy,
  lines: readonly Line[],
  evaluateLine: (field: string, formula: string) => void,
): void {
  const firstLines = lines.filter((_, line) => line < templates.length || (columns && line % templates.length === 0))
  for (const line of firstLines) if (crossSectionCalls(line.formula) === 0) withLineField(line, evaluateLine)
}
