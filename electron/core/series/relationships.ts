import { resampleText } from '#shared/catalog/columnText.ts'
import type { Relationships, ComparedQuantity } from '#shared/contract/areas/series.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import { checkFormula } from '#shared/formula/evaluateFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { intervalsIn } from '#shared/formula/resample.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { intervalName } from '#shared/time.ts'
import { rulesOf } from './columnRules.ts'
import { enteredSizes, seriesInterval, prepareFormulas, type FormulaRequest } from './evaluate.ts'
import { costsOf } from './formulaCosts.ts'
import type { FormulaVariants, RelationshipsTask } from './readerTask.ts'
import { formulasOf, noRelationships } from './relationshipsOf.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import { describeUnread, sourcesOf } from './seriesFiles.ts'

export interface RelationshipsRequest extends Omit<FormulaRequest, 'formula'> {
  formulas: { name: string; formula: string }[]
  x: number
  y: number
  compare: ComparedQuantity
  windowRows: number
  lags: number
  pairs: number
  points: number
}

type NamedProblem = FormulaProblem & { name: string }

/** Computes the relationships of several formulas over the rows of a range, all at the longest of their intervals. */
export async function computeRelationships(
  deps: SeriesDeps,
  request: RelationshipsRequest,
  signal: AbortSignal,
): Promise<Relationships> {
  const emptyAnswer = { ...noRelationships(request.formulas), unread: [], files: [] }
  const comparison = comparedFormulas(deps, request)
  if ('problem' in comparison) return { ...emptyAnswer, problem: comparison.problem }
  const { x, y, windowRows, lags, pairs, points } = request
  const formulas = comparison.formulas
  const neededFormulas = formulasOf({ formulas, x, y, windowRows })
  const prepared = await prepareFormulas(deps, { ...request, formula: neededFormulas[0] }, neededFormulas, signal)
  if ('problem' in prepared) return { ...emptyAnswer, problem: { name: formulas[y].name, ...prepared.problem } }
  const { range, columns: inputs, filesInRange, weightFiles } = prepared
  const task: RelationshipsTask = { formulas, inputs, x, y, windowRows, lags, pairs, points, ...range }
  const computedFormulas = formulas.map(({ variants: [first] }) => first.formula)
  const answer = await deps.costs.run(costsOf(computedFormulas, inputs), () =>
    deps.reader.run('relationships', task, signal),
  )
  const unread = Object.entries(answer.unread).flatMap(([name, slices]) =>
    describeUnread(deps, slices).map(({ message }) => ({ name, message })),
  )
  const files = Object.entries(filesInRange).flatMap(([name, one]) => [
    ...sourcesOf(one),
    ...weightFiles[name].flatMap(sourcesOf),
  ])
  return { ...answer, unread, files }
}

/**
 * Rewrites each formula so that its rows have the longest interval, and are changes or log returns if these are
 * compared.
 */
function comparedFormulas(
  { store }: SeriesDeps,
  { formulas, inputs, compare }: RelationshipsRequest,
): { formulas: FormulaVariants[] } | { problem: NamedProblem } {
  const inputByName = new Map(
    Object.entries(inputs).map(([name, input]): [string, SeriesInput] => {
      const { unit, resample } = rulesOf(input, store)
      const noRows = { times: new Float64Array(0), values: new Float64Array(0), valid: null }
      const rules = { ...(unit !== undefined && { unit }), ...(resample && { resample }) }
      return [
        name,
        { ...noRows, intervalMs: seriesInterval(name, input), ...rules, ...enteredSizes(store, input.series) },
      ]
    }),
  )
  const problems: NamedProblem[] = []
  const checkedFormulas = formulas.flatMap(({ name, formula }) => {
    try {
      return [{ name, formula, intervalMs: checkFormula(formula, inputByName).intervalMs }]
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error
      problems.push({ name, message: error.message, start: error.start, end: error.end })
      return []
    }
  })
  if (problems.length > 0) return { problem: problems[0] }
  const longestMs = Math.max(...checkedFormulas.map(({ intervalMs }) => intervalMs))
  const indivisibleFormula = checkedFormulas.find(({ intervalMs }) => intervalsIn(longestMs, intervalMs) === null)
  if (indivisibleFormula) {
    const { name, formula, intervalMs } = indivisibleFormula
    const message = `Its interval of ${intervalName(intervalMs)} does not divide ${intervalName(longestMs)}, the longest interval, so the rows cannot be paired.`
    return { problem: { name, message, start: 0, end: formula.length } }
  }
  return {
    formulas: checkedFormulas.map(({ name, formula, intervalMs }) => {
      const rule = inputByName.get(formula)?.resample
      const longestInterval = intervalName(longestMs)
      const byLast = {
        formula: `resample(${formula}, '${longestInterval}', 'last')`,
        resampled: resampleText({ how: 'last' }),
      }
      const byRule =
        rule && rule.how !== 'none'
          ? [{ formula: `resample(${formula}, '${longestInterval}')`, resampled: resampleText(rule) }]
          : []
      const variants = intervalMs === longestMs ? [{ formula, resampled: null }] : [...byRule, byLast]
      return { name, variants: variants.map((each) => ({ ...each, formula: changeOf(compare, each.formula) })) }
    }),
  }
}

function changeOf(compare: ComparedQuantity, formula: string): string {
  if (compare === 'changes') return `diff(${formula})`
  return compare === 'logReturns' ? `logret(${formula})` : formula
}
