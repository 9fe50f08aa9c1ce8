import { intervalName, parseDuration, parseInterval } from '#shared/time.ts'
import { startNote } from './startNote.ts'
import { contractsIn, parseUnit } from '#shared/units/measureUnits.ts'
import { alignSeries, commonGrid } from './alignSeries.ts'
import { cellwise } from './cellwise.ts'
import { ownEventsText } from './eventFunctions.ts'
import { eventFunctions, unquotedNameHint } from './ownData.ts'
import { FormulaError } from './formulaError.ts'
import {
  type CallArguments,
  type FormulaFunction,
  MAX_COUNT,
  type ParameterKind,
  signatureOf,
} from './formulaFunction.ts'
import { type FormulaUnit, formulaUnit } from './formulaUnit.ts'
import { functionNames, resampleMethods } from './formulaNames.ts'
import { formulaFunction, readsFunding } from './functionTable.ts'
import { missingSeriesMessage } from './missingSeriesMessage.ts'
import type { Operand } from './operand.ts'
import { parseFormula } from './parseFormula.ts'
import { printFormula } from './printFormula.ts'
import { columnsNeeded } from './resample.ts'
import { type FundedInstrument, type Series, type SeriesFunding, type SeriesInput, seriesOf } from './series.ts'
import { shareNodes, usesOf } from './sharedNodes.ts'
import { didYouMean } from './suggestName.ts'
import {
  type BinaryOperator,
  childrenOf,
  type FormulaNode,
  type TextRange,
  seriesNamesOf,
  type UnaryOperator,
} from './tree.ts'

export type FormulaInputs = ReadonlyMap<string, SeriesInput>

/** Source of the series and columns that a formula names. */
export interface FormulaSource {
  /** Returns a series by name; null if there is none. */
  series(name: string): Series | null
  /** Returns the message for a name without a series. */
  missing(name: string): string
  /** Returns the column with this name, for its resampling rule, unit and contract size; null if there is none. */
  column(name: string): SeriesInput | null
  /** Returns the funding periods behind a series; null if it has none. Omitted where periods are not known. */
  funding?(name: string): SeriesFunding | null
  /** Returns the precomputed series of a call across symbols. */
  computed?(node: FormulaNode): Series | undefined
}

/** Turns the inputs of a formula into a source, which puts each of them on its grid only once. */
function sourceOf(inputs: FormulaInputs): FormulaSource {
  const seriesByName = new Map<string, Series>()
  return {
    series(name) {
      const input = inputs.get(name)
      if (!input) return null
      const series = seriesByName.get(name) ?? seriesOf(input)
      seriesByName.set(name, series)
      return series
    },
    missing: (name) => missingSeriesMessage(name, inputs.keys()),
    column: (name) => inputs.get(name) ?? null,
    funding: (name) => inputs.get(name)?.funding ?? null,
  }
}

/** Rows of a formula, with their unit. */
export interface EvaluatedSeries extends Series, FormulaUnit {
  /** Notes on the values, such as where cumulative sums start and which values are approximations. */
  notes: string[]
  /** Instruments whose funding period is not known at some of the rows. */
  unknownFunding: FundedInstrument[]
}

/** Evaluates a formula; throws only `FormulaError`. */
export function evaluateFormula(formula: string, inputs: FormulaInputs): EvaluatedSeries {
  const node = shareNodes(parseFormula(formula))
  const notes = new Set<string>()
  const unknownByName = new Map<string, FundedInstrument>()
  const series = evaluateTree(node, sourceOf(inputs), {
    note: (note) => notes.add(note),
    unknownFunding: (instrument) => unknownByName.set(instrumentKey(instrument), instrument),
  })
  return {
    ...series,
    notes: [...notes],
    unknownFunding: [...unknownByName.values()],
    ...formulaUnit(node, { unitOf: (name) => parseUnit(inputs.get(name)?.unit), constantOf: constantIn }),
  }
}

/** Evaluates a parsed formula; throws only `FormulaError`. */
export function evaluateTree(node: FormulaNode, source: FormulaSource, listener: Listener = noListener): Series {
  const result = new Evaluation({ source, names: seriesNamesOf(node) }, usesOf(node), listener).valueOf(node)
  if (typeof result === 'number') throw new FormulaError('A formula must name at least one series.', node)
  return result
}

/** Receives what a call reports besides its values. */
type Listener = Pick<CallArguments, 'note' | 'unknownFunding'>
const noListener: Listener = { note() {}, unknownFunding() {} }

const instrumentKey = ({ exchange, symbol }: FundedInstrument) => `${exchange}\n${symbol}`

/** Interval, unit and notes of a formula, as far as they are known without its rows. */
export interface CheckedFormula extends FormulaUnit {
  intervalMs: number
  notes: string[]
}

/**
 * Checks a formula for all errors that do not depend on data, and returns the interval, unit and notes of its result.
 */
export function checkFormula(formula: string, inputs: FormulaInputs): CheckedFormula {
  const noRows = { times: new Float64Array(0), values: new Float64Array(0), valid: null }
  const emptyInputs = new Map<string, SeriesInput>()
  for (const [name, input] of inputs) {
    const needed = input.resample ? columnsNeeded(input.resample) : []
    const companions = Object.fromEntries(
      needed.map((column) => [column, { ...noRows, resample: { how: 'sum' } as const }]),
    )
    emptyInputs.set(name, { ...input, ...noRows, companions })
  }
  const { intervalMs, unit, unitWarnings, notes } = evaluateFormula(formula, emptyInputs)
  return { intervalMs, unit, unitWarnings, notes }
}

/**
 * Throws a `FormulaError` for an unknown function or a wrong number of arguments; no series needs to be known for that.
 */
export function checkCalls(node: FormulaNode): void {
  if (node.kind === 'call') {
    const calledFunction = formulaFunction(node.name)
    if (!calledFunction) throw unknownFunctionError(node)
    parameterKinds(calledFunction, node)
  }
  childrenOf(node).forEach(checkCalls)
}

/** Returns the value of a part without series (NaN if undefined); null if it names a series or depends on the time. */
export function constantIn(node: FormulaNode): number | null {
  if (seriesNamesOf(node).length > 0 || readsFunding(node)) return null
  const result = new Evaluation({ source: sourceOf(new Map()), names: [] }, new Map()).valueOf(node)
  return typeof result === 'number' ? result : null
}

/** Evaluates a part of a formula. */
export const evaluatePart = (node: FormulaNode, inputs: FormulaInputs): Operand =>
  new Evaluation({ source: sourceOf(inputs), names: [...inputs.keys()] }, usesOf(node)).valueOf(node)

/** Computes the start of each row of a series, in milliseconds. */
export const timesOf = ({ intervalMs, firstSlot, values }: Series): Float64Array =>
  values.map((_, row) => (firstSlot + row) * intervalMs)

/** Maximum number of values that one evaluation may compute: a few seconds of work. */
const MAX_CELLS = 1_000_000_000

class Evaluation {
  readonly #source: FormulaSource
  /** Names of the series of the formula. */
  readonly #names: readonly string[]
  /** Results that other nodes still need. */
  readonly #results = new Map<FormulaNode, Operand>()
  readonly #usesLeft: Map<FormulaNode, number>
  readonly #listener: Listener
  #cellCount = 0

  constructor(
    { source, names }: { source: FormulaSource; names: readonly string[] },
    uses: Map<FormulaNode, number>,
    listener: Listener = noListener,
  ) {
    this.#source = source
    this.#names = names
    this.#usesLeft = uses
    this.#listener = listener
  }

  valueOf(node: FormulaNode): Operand {
    const usesLeft = (this.#usesLeft.get(node) ?? 1) - 1
    this.#usesLeft.set(node, usesLeft)
    const stored = this.#results.get(node)
    if (stored !== undefined) {
      if (usesLeft === 0) this.#results.delete(node)
      return stored
    }
    const result = this.#compute(node)
    if (typeof result !== 'number' && node.kind !== 'series') this.#count(result, node)
    if (usesLeft > 0) this.#results.set(node, result)
    return result
  }

  #count({ values }: Series, place: TextRange): void {
    this.#cellCount += values.length
    if (this.#cellCount > MAX_CELLS)
      throw new FormulaError(`The formula needs more than ${MAX_CELLS} values; choose a shorter range.`, place)
  }

  #compute(node: FormulaNode): Operand {
    switch (node.kind) {
      case 'number':
        return node.value
      case 'text':
        throw new FormulaError(
          'Text in single quotes is allowed only where a function expects it. The name of a series goes in double quotes.',
          node,
        )
      case 'series':
        return this.#series(node.name, node)
      case 'unary':
        return applyUnary(node.operator, this.valueOf(node.operand))
      case 'binary': {
        const [left, right] = alignOperands([this.valueOf(node.left), this.valueOf(node.right)], node)
        return applyBinary(node.operator, left, right)
      }
      case 'call':
        return this.#call(node)
    }
  }

  #series(name: string, place: TextRange): Series {
    const series = withPosition(place, () => this.#source.series(name))
    if (!series) throw new FormulaError(this.#source.missing(name), place)
    return series
  }

  #call(node: FormulaNode & { kind: 'call' }): Operand {
    const computed = this.#source.computed?.(node)
    if (computed) return computed
    const called = formulaFunction(node.name)
    if (!called) throw unknownFunctionError(node)
    const call = this.#argumentsOf(called, node)
    if (called.looksBack === 'start') this.#noteStart(call.series[0], node)
    return withPosition(node, () => called.apply(call))
  }

  #noteStart(series: Series, node: FormulaNode): void {
    const startMs = firstPresentMs(series)
    if (startMs !== null) this.#listener.note(startNote(shortFormula(node), startMs))
  }

  /** Adds a note if rows of a longer interval are counted several times. */
  #notePairs(operands: readonly Operand[], node: FormulaNode & { kind: 'call' }): void {
    const intervals = operands.flatMap((operand) => (typeof operand === 'number' ? [] : operand.intervalMs))
    const [short, long] = [Math.min(...intervals), Math.max(...intervals)]
    if (long > short) this.#listener.note(repeatedRowsNote(node.name, short, long))
  }

  #argumentsOf(called: FormulaFunction, node: FormulaNode & { kind: 'call' }): CallArguments {
    const kinds = parameterKinds(called, node)
    const call: CallArguments = {
      operands: [],
      series: [],
      numbers: [],
      intervalMs: 0,
      method: null,
      column: null,
      units: [],
      contractSizes: [],
      funding: null,
      refuse: (message) => {
        throw new FormulaError(message, node)
      },
      ...this.#listener,
    }
    node.args.forEach((arg, at) => {
      const kind = kinds[at]
      if (kind === 'interval') call.intervalMs = intervalMsOf(arg)
      else if (kind === 'method') call.method = methodOf(arg)
      else if (kind === 'value' || kind === 'series') call.operands.push(this.#operand(kind, arg))
    })
    const [firstArgument] = node.args
    if (called.readsUnits) this.#readUnits(call, node)
    if (called.readsFunding) this.#readFunding(call, node)
    if (firstArgument?.kind === 'series') call.column = this.#source.column(firstArgument.name)
    if (called.pairsRows) this.#notePairs(call.operands, node)
    call.operands = alignOperands(call.operands, node)
    const firstSeries = call.operands.find((operand) => typeof operand !== 'number')
    call.numbers = numbersOf(called, node, firstSeries?.intervalMs ?? Infinity)
    call.series = call.operands.filter((operand) => typeof operand !== 'number')
    return call
  }

  /** Fills in the units and contract sizes of the arguments, which a conversion needs. */
  #readUnits(call: CallArguments, { args }: FormulaNode & { kind: 'call' }): void {
    const unitOf = (name: string) => parseUnit(this.#source.column(name)?.unit)
    const sources = { unitOf, constantOf: constantIn }
    call.units = args.map((arg) => (seriesNamesOf(arg).length > 0 ? parseUnit(formulaUnit(arg, sources).unit) : null))
    const namesInContracts = seriesNamesOf(args[0]).filter((name) => contractsIn(unitOf(name)) !== 0)
    call.contractSizes = namesInContracts.map((name) => this.#source.column(name)?.contractSizes ?? [])
  }

  /**
   * Fills in the funding periods of the instrument of the argument, or of the formula's series if there is none; then
   * the rows are those of all series together.
   */
  #readFunding(call: CallArguments, node: FormulaNode & { kind: 'call' }): void {
    const ownNames = node.args.flatMap(seriesNamesOf)
    const names = ownNames.length > 0 ? ownNames : this.#names
    const fundingOf = this.#source.funding
    if (!fundingOf)
      return call.refuse(`The funding periods of instruments are not known here, which ${node.name} needs.`)
    if (names.length === 0) return call.refuse(`${node.name} needs a series: the period is that of its instrument.`)
    const all = names.flatMap((name) => fundingOf(name) ?? [])
    const [first = null, ...others] = all
    if (first && others.some((other) => !haveSamePeriods(first, other)))
      call.refuse(
        `The funding periods of ${joinedWithAnd([...new Set(all.map(instrumentText))])} differ: call ${node.name} for the series of one of them.`,
      )
    call.funding = first
    if (node.args.length > 0) return
    const grid = commonGrid(names.map((name) => this.#series(name, node)))
    call.operands = [{ ...grid, values: new Float64Array(grid.rows), valid: null }]
  }

  #operand(kind: ParameterKind, node: FormulaNode): Operand {
    const operand = this.valueOf(node)
    if (kind === 'series' && typeof operand === 'number') {
      throw new FormulaError('A series is needed here, not a constant.', node)
    }
    return operand
  }
}

const instrumentText = ({ exchange, symbol }: FundedInstrument) => `${symbol} on ${exchange}`

const joinedWithAnd = (texts: readonly string[]) => `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`

/** Tells whether two series have the same funding periods, also if these are known from different sources. */
const haveSamePeriods = (a: SeriesFunding, b: SeriesFunding): boolean =>
  instrumentKey(a) === instrumentKey(b) ||
  (a.periods.length === b.periods.length &&
    a.periods.every((stretch, at) =>
      (['startMs', 'endMs', 'everyMs', 'offsetMs', 'ratePerMs'] as const).every(
        (field) => stretch[field] === b.periods[at][field],
      ),
    ))

function firstPresentMs({ intervalMs, firstSlot, values, valid }: Series): number | null {
  const row = valid ? valid.indexOf(1) : 0
  return row < 0 || row >= values.length ? null : (firstSlot + row) * intervalMs
}

const MAX_NOTE_CHARACTERS = 60

/** Prints a part of a formula for a note; a long call is shortened to the name of its function. */
function shortFormula(node: FormulaNode): string {
  const text = printFormula(node)
  return text.length <= MAX_NOTE_CHARACTERS || node.kind !== 'call' ? text : `${node.name}(…)`
}

/** Builds the note that values of a longer interval are counted several times in pairs of rows. */
function repeatedRowsNote(functionName: string, shortMs: number, longMs: number): string {
  const [short, long] = [intervalName(shortMs), intervalName(longMs)]
  const times = Math.round(longMs / shortMs)
  return `${functionName}: each value of ${long} counts ${times} times beside rows of ${short}; resample to ${long} to count it once`
}

function unknownFunctionError({ name, start }: FormulaNode & { kind: 'call' }): FormulaError {
  const message = `There is no function ${name}.${didYouMean(name, functionNames)}${unquotedNameHint(name)}`
  return new FormulaError(message, { start, end: start + name.length })
}

/** Determines the kind of each argument of a call; throws if their number is wrong. */
export function parameterKinds(
  called: Pick<FormulaFunction, 'name' | 'parameters'>,
  { args, start, end }: FormulaNode & { kind: 'call' },
): ParameterKind[] {
  const { parameters } = called
  // The parser reads those of an own dataset as columns, so the argument of this one is something else.
  if (eventFunctions.includes(called.name) && args.length === 1)
    throw new FormulaError(ownEventsText(called.name), { start, end })
  const requiredCount = parameters.filter((parameter) => !parameter.optional).length
  const lastParameter = parameters[parameters.length - 1]
  if (args.length < requiredCount || (args.length > parameters.length && !lastParameter.repeats)) {
    const surplus = args[parameters.length]
    const place = surplus && args.length > requiredCount ? { start: surplus.start, end } : { start, end }
    throw new FormulaError(`Write ${called.name} as ${signatureOf(called)}.`, place)
  }
  return args.map((_, at) => (parameters[at] ?? lastParameter).kind)
}

/**
 * Returns the counts, spans and numbers of a call whose series have this interval; throws `FormulaError`. A duration
 * equals the number of rows that begin within it, so a duration that is not a multiple of the interval includes the row
 * that it cuts.
 */
export function numbersOf(
  called: Pick<FormulaFunction, 'name' | 'parameters'>,
  node: FormulaNode & { kind: 'call' },
  intervalMs: number,
): number[] {
  const kinds = parameterKinds(called, node)
  return node.args.flatMap((arg, at) => {
    const kind = kinds[at]
    if (kind === 'span') return spanOf(arg, intervalMs)
    return kind === 'count' || kind === 'number' ? requiredConstant(kind, arg) : []
  })
}

function spanOf(node: FormulaNode, intervalMs: number): number {
  if (node.kind !== 'text') return requiredConstant('count', node)
  const durationMs = parseDuration(node.value)
  if (!durationMs) throw new FormulaError("A number of rows is needed here, or a duration such as '1d'.", node)
  const rows = Math.max(1, Math.ceil(durationMs / intervalMs))
  if (rows <= MAX_COUNT) return rows
  throw new FormulaError(
    `${node.value} is ${rows} rows of ${intervalName(intervalMs)}; the limit is ${MAX_COUNT}.`,
    node,
  )
}

function alignOperands(operands: Operand[], place: TextRange): Operand[] {
  const series = operands.filter((operand) => typeof operand !== 'number')
  if (series.length < 2) return operands
  const grid = withPosition(place, () => commonGrid(series))
  return operands.map((operand) => (typeof operand === 'number' ? operand : alignSeries(operand, grid)))
}

function requiredConstant(kind: 'count' | 'number', place: FormulaNode): number {
  const operand = constantIn(place)
  if (operand === null || !Number.isFinite(operand)) {
    throw new FormulaError('A constant is needed here, the same for all rows.', place)
  }
  if (kind === 'count' && !(Number.isInteger(operand) && operand >= 1 && operand <= MAX_COUNT)) {
    const hint = operand < 0 ? ' Rows after this one are not known yet.' : ''
    throw new FormulaError(`A whole number of rows from 1 to ${MAX_COUNT} is needed here.${hint}`, place)
  }
  return operand
}

function intervalMsOf(node: FormulaNode): number {
  const seconds = node.kind === 'text' ? parseInterval(node.value) : null
  if (seconds === null) throw new FormulaError("An interval that divides a day is needed here, such as '1h'.", node)
  return seconds * 1000
}

function methodOf(node: FormulaNode) {
  const method = node.kind === 'text' ? resampleMethods.find((one) => one === node.value) : undefined
  if (!method)
    throw new FormulaError(`One of these is needed here: ${resampleMethods.map((one) => `'${one}'`).join(', ')}.`, node)
  return method
}

/** Adds the position in the formula to an error about too many rows. */
function withPosition<T>(range: TextRange, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new FormulaError(`The formula cannot be computed: ${error.message}.`, range)
  }
}

const truth = (isTrue: boolean) => (isTrue ? 1 : 0)

const operatorFunctions: Record<BinaryOperator, (a: number, b: number) => number> = {
  or: (a, b) => truth(a !== 0 || b !== 0),
  and: (a, b) => truth(a !== 0 && b !== 0),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
}

const applyUnary = (operator: UnaryOperator, operand: Operand): Operand =>
  operator === 'not' ? cellwise([operand], (a) => truth(a === 0)) : cellwise([operand], (a) => -a)

const applyBinary = (operator: BinaryOperator, left: Operand, right: Operand): Operand =>
  cellwise([left, right], operatorFunctions[operator])
