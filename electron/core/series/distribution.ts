import type { Distribution } from '#shared/contract/areas/series.ts'
import type { DistributionKind } from '#shared/workspace/chartStyle.ts'
import { noDistribution } from './distributionOf.ts'
import { type FormulaRequest, prepareFormulas } from './evaluate.ts'
import { costsOf } from './formulaCosts.ts'
import type { SeriesDeps } from './seriesDeps.ts'

interface DistributionRequest extends Omit<FormulaRequest, 'formula'> {
  formulas: { name: string; formula: string }[]
  by: DistributionKind
}

/** Computes how the values of formulas are distributed over all rows of a range. */
export async function computeDistribution(
  deps: SeriesDeps,
  request: DistributionRequest,
  signal: AbortSignal,
): Promise<Distribution> {
  const { formulas, by } = request
  const texts = formulas.map(({ formula }) => formula)
  const prepared = await prepareFormulas(deps, { ...request, formula: texts[0] }, texts, signal)
  if ('problem' in prepared) return noDistribution({ name: formulas[0].name, ...prepared.problem })
  const task = { formulas, by, inputs: prepared.columns, ...prepared.range }
  return deps.costs.run(costsOf(texts, prepared.columns), () => deps.reader.run('distribution', task, signal))
}
