import { expect, it } from 'vitest'
import { evaluateTree } from '#shared/formula/evaluateFormula.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { printFormula } from '#shared/formula/printFormula.ts'
import { seriesOf } from '#shared/formula/series.ts'
import { MAX_NODES, shareNodes, usesOf } from '#shared/formula/sharedNodes.ts'
import { childrenOf } from '#shared/formula/tree.ts'
import { cellsOf, input } from './formulaInputs.ts'

it('parts that read alike are one node', () => {
  const graph = shareNodes(parseFormula('sma(a, 2) + sma( a,2 ) * -0'))
  const [left, right] = childrenOf(graph)
  expect(childrenOf(right)[0]).toBe(left)
  expect(usesOf(graph).get(left)).toBe(2)
  expect(usesOf(graph).size).toBe(7)
})

it('names, texts and numbers of different kinds stay apart', () => {
  expect(cellsOf('a + "1" + 1 + b * 2', { a: input([1]), '1': input([10]), b: input([100]) })).toEqual([212])
})

it('a part that a formula names many times is computed once', () => {
  const calls: string[] = []
  const part = 'quantile(a, 500, 0.5)'
  const many = Array.from({ length: 60 }, () => part).join(' and ')
  const a = seriesOf(input([1, 2, 3]))
  evaluateTree(shareNodes(parseFormula(many)), {
    series: () => a,
    missing: (name) => name,
    column: () => null,
    computed(node) {
      calls.push(printFormula(node))
      return undefined
    },
  })
  expect(calls).toEqual([part])
})

it('has an upper bound of different parts', () => {
  const formula = Array.from({ length: 1500 }, (_, at) => `a/${at}`).join('+')
  expect(() => shareNodes(parseFormula(Array.from({ length: 150 }, (_, at) => `a/${at}`).join('+')))).not.toThrow()
  expect(() => cellsOf(formula, { a: input([1]) })).toThrow(/at most|More than/)
  const wide = `min(${Array.from({ length: 1100 }, (_, at) => `a/${at}`).join(',')})`
  expect(() => cellsOf(wide, { a: input([1]) })).toThrow(`at most ${MAX_NODES} different`)
})
