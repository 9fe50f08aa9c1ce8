import { AppError, toAppError } from '#shared/contract/errors.ts'
import { resolveSymbol, type VenueSymbol } from '#shared/catalog/resolveSymbol.ts'
import { parseSymbol, shortSymbol } from '#shared/catalog/symbols.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { ownReadingOf } from '#shared/formula/ownData.ts'
import { parseInterval } from '#shared/time.ts'
import { ownProblem, ownProblemText } from '#core/own/ownPlan.ts'
import { formulaInputs, formulaProblem } from '#core/series/formulaInputs.ts'
import { rowsExtent } from '#core/series/seriesFiles.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { SqlFailed, SqlParametersMissing, SqlRefused, SqlStopped } from '#core/sql/sqlErrors.ts'
import type { SqlService } from '#core/sql/sqlService.ts'
import { refusalOfWriting } from '#core/sql/statementGate.ts'
import type { CheckHistory, CheckOutcome, CheckRule, RanCheck, SavedCheck } from '#shared/contract/areas/inbox.ts'
import type { Store } from '#core/store/store.ts'
import { checkHistory, withoutPast } from './checkHistory.ts'
import { comparedPart } from './comparedPart.ts'
import { isWide, joinedOutcome, watchedPairs } from './watchedPairs.ts'

export interface CheckDeps {
  store: Store
  series: SeriesService
  sql: SqlService
  /** Runs the alarm of a check that found something new; none if left out. */
  sound?(name: string, outcome: CheckOutcome, signal: AbortSignal): Promise<void>
  /** Timeout of one query; tests of a query that never ends make it short. */
  queryMs?: number
}

/** Timeout of a check's query, because a scheduled run is unattended and the next one waits for it. */
const MOST_QUERY_MS = 5 * 60_000

/** Runs checks and puts their findings into the inbox. */
export interface CheckService {
  /** Runs one check, or all of them. Throws if there is no check with that name. */
  run(name: string | null, signal: AbortSignal): Promise<RanCheck[]>
  /**
   * Returns a rule as it can be evaluated, with the full symbol, before it is saved, or explains what is wrong with its
   * symbol, interval or formula.
   */
  readRule(rule: CheckRule, connectionId: string): { rule: CheckRule } | { problem: string }
  /** Tells how often a rule would have hit in the last days. */
  history(rule: CheckRule, connectionId: string, signal: AbortSignal): Promise<CheckHistory>
}

export function createCheckService(deps: CheckDeps): CheckService {
  const { checks } = deps.store
  /** A check or question that names no connection means the one in use. */
  const ownerOf = (connectionId: string) => connectionId || deps.store.connections.active().id
  function readRule(rule: CheckRule, connectionId: string): { rule: CheckRule } | { problem: string } {
    if (rule.kind === 'sql') {
      const refused = refusalOfWriting(rule.sql)
      return refused ? { problem: toAppError(new SqlRefused(refused)).detail ?? '' } : { rule }
    }
    const problem = ruleProblem(rule)
    if (problem !== null) return { problem }
    // Says that there is no such list.
    if (rule.list !== undefined) deps.store.lists.pairs(rule.list)
    return isWide(rule) ? { rule } : withFullSymbol(deps.store, rule, ownerOf(connectionId))
  }
  return {
    readRule,
    async history(rule, connectionId, signal) {
      const id = ownerOf(connectionId)
      const read = readRule(rule, id)
      return 'problem' in read ? withoutPast(read.problem) : checkHistory(deps, read.rule, id, signal)
    },
    async run(name, signal) {
      const selectedChecks = checks.list().filter((check) => name === null || check.name === name)
      if (name !== null && selectedChecks.length === 0) throw new AppError('not-found', `There is no check “${name}”.`)
      const ranChecks: RanCheck[] = []
      const sounding: Promise<void>[] = []
      for (const check of selectedChecks) {
        const outcome = await evaluateCheck(deps, { ...check, connectionId: ownerOf(check.connectionId) }, signal)
        signal.throwIfAborted()
        checks.keepRun(check, outcome)
        // What the inbox has already is not sent again.
        const isNews = outcome.state !== 'quiet' && checks.add(check.name, outcome)
        if (isNews && deps.sound) sounding.push(deps.sound(check.name, outcome, signal))
        ranChecks.push({ name: check.name, ...outcome })
      }
      await Promise.all(sounding)
      return ranChecks
    },
  }
}

type FormulaRule = Extract<CheckRule, { kind: 'formula' }>

const ruleProblem = ({ interval, formula }: FormulaRule): string | null =>
  parseInterval(interval) === null ? `“${interval}” is not an interval.` : formulaProblem(formula)

/** Replaces a short name such as `ETH` by the symbol of the venue that it means. */
function withFullSymbol(
  store: Store,
  rule: FormulaRule,
  connectionId: string,
): { rule: FormulaRule } | { problem: string } {
  const { exchange, symbol } = rule
  const listed = store.coverage.symbols(connectionId, exchange)
  const cached = store.cacheIndex
    .series(connectionId)
    .flatMap(({ series }) => (series.exchange === exchange ? series.symbol : []))
  const resolved = resolveSymbol(symbol, [{ exchange, symbols: [...new Set([...listed, ...cached])] }], exchange)
  if (resolved.kind === 'found') return { rule: { ...rule, ...resolved.found } }
  if (resolved.kind === 'ambiguous') return { problem: ambiguousText(symbol, exchange, resolved.choices) }
  // Without the list of the venue, a full symbol is taken as it is.
  if (listed.length === 0 && parseSymbol(symbol)) return { rule }
  return { problem: unknownText(symbol, exchange, resolved.nearest) }
}

const namesOf = (symbols: readonly VenueSymbol[]): string =>
  symbols.map((each) => shortSymbol(each.symbol)).join(' or ')

const ambiguousText = (symbol: string, exchange: string, choices: readonly VenueSymbol[]): string =>
  `“${symbol}” on ${exchange} is ${namesOf(choices)}. Choose one of them.`

const unknownText = (symbol: string, exchange: string, nearest: readonly VenueSymbol[]): string =>
  `“${symbol}” is not a symbol of ${exchange}.${nearest.length > 0 ? ` Did you mean ${namesOf(nearest)}?` : ''}`

const noOutcome: CheckOutcome = { state: 'not evaluable', value: null, time: null, rows: null, why: null }
/** Creates the outcome of a check that cannot be evaluated; its reason is put on one line, because lists show it. */
const notEvaluable = (why: string): CheckOutcome => ({ ...noOutcome, why: why.replaceAll(/\s+/g, ' ') })

async function evaluateCheck(
  deps: CheckDeps,
  { rule, connectionId }: SavedCheck,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  try {
    return rule.kind === 'sql'
      ? await evaluateSqlCheck(deps, rule.sql, connectionId, signal)
      : await evaluateFormulaRule(deps, rule, connectionId, signal)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const isSql = [SqlFailed, SqlParametersMissing, SqlRefused, SqlStopped].some((each) => thrown instanceof each)
    const { detail, sentence } = toAppError(thrown)
    return notEvaluable(isSql && thrown instanceof Error ? (detail ?? thrown.message) : (detail ?? sentence))
  }
}

async function evaluateSqlCheck(
  { sql, queryMs = MOST_QUERY_MS }: CheckDeps,
  text: string,
  connectionId: string,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const opened = await sql.run({ sql: text, parameters: {}, connectionId, timeoutMs: queryMs }, { signal })
  await sql.closeResult(opened.id)
  const { leftOut } = opened.preflight
  if (leftOut.length > 0) return notEvaluable(`${leftOut[0].path}: ${leftOut[0].message}`)
  return { ...noOutcome, state: opened.rows > 0 ? 'hit' : 'quiet', rows: opened.rows }
}

/** Evaluates a formula for each symbol that its rule watches. */
async function evaluateFormulaRule(
  deps: CheckDeps,
  rule: FormulaRule,
  connectionId: string,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  if (!isWide(rule)) return evaluateFormulaCheck(deps, rule, connectionId, signal)
  const outcomes = []
  for (const pair of watchedPairs(deps.store, rule, connectionId)) {
    signal.throwIfAborted()
    outcomes.push({ ...pair, outcome: await evaluateFormulaCheck(deps, { ...rule, ...pair }, connectionId, signal) })
  }
  return joinedOutcome(outcomes)
}

function ownNameProblem(store: Store, name: string): string | null {
  const reading = ownReadingOf(name)
  if (reading === null) {
    const written = /^own[._]([^.]+)\./i.exec(name)
    return (
      written && `${name}: formulas write a dataset of your own in small letters, as own_${written[1].toLowerCase()}.`
    )
  }
  const problem = ownProblem(store, reading)
  return problem && ownProblemText(name, problem)
}

/** Evaluates a formula at the last row that all of its columns have. */
async function evaluateFormulaCheck(
  { store, series }: CheckDeps,
  { formula, exchange, symbol, interval, timestamp }: FormulaRule,
  connectionId: string,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const inputs = formulaInputs(formula, { connectionId, exchange, symbol, interval, timestamp })
  const extents = Object.entries(inputs).map(([name, input]) => ({ name, extent: rowsExtent(store, input) }))
  const namesWithoutRows = extents.filter(({ extent }) => extent === null).map(({ name }) => name)
  const [ownText] = namesWithoutRows.flatMap((name) => ownNameProblem(store, name) ?? [])
  if (ownText !== undefined) return notEvaluable(ownText)
  if (namesWithoutRows.length > 0)
    return notEvaluable(`No rows of ${namesWithoutRows.join(', ')} are cached for ${exchange} ${symbol} ${interval}.`)
  const endMs = Math.min(...extents.flatMap(({ extent }) => extent?.endMs ?? []))
  const startMs = endMs - (parseInterval(interval) ?? 0) * 1000
  const originMs = Math.min(...extents.flatMap(({ extent }) => extent?.startMs ?? []))
  const evaluate = (text: string) => {
    const named = Object.fromEntries(Object.entries(inputs).filter(([name]) => text.includes(name)))
    return series.evaluate({ formula: text, inputs: named, startMs, endMs, originMs, points: 100 }, signal)
  }
  const answer = await evaluate(formula)
  if (answer.problem) return notEvaluable(answer.problem.message)
  const [input] = Object.values(answer.inputs).filter(
    ({ unread, absentColumns }) => unread.length + absentColumns.length > 0,
  )
  if (input) return notEvaluable(input.unread.at(0)?.message ?? `The files have no column ${input.absentColumns[0]}.`)
  const { value, time } = lastOf(answer)
  if (value === null || value === 0) return { ...noOutcome, state: 'quiet', value, time }
  const hit: CheckOutcome = { ...noOutcome, state: 'hit', value, time }
  const { formula: comparedFormula, threshold } = comparedPart(formula)
  if (!threshold) return hit
  const compared = lastOf(await evaluate(comparedFormula)).value
  return compared === null ? hit : { ...hit, compared: { ...threshold, value: compared } }
}

/** Returns the last value of a formula and its time; null without rows, and a value of null if it is missing. */
function lastOf({ points }: Awaited<ReturnType<SeriesService['evaluate']>>): Pick<CheckOutcome, 'value' | 'time'> {
  const { times, values, valid } = drawnRows(points, 'value')
  const last = times.length - 1
  if (last < 0) return { value: null, time: null }
  return { value: valid && !valid[last] ? null : values[last], time: times[last] }
}
