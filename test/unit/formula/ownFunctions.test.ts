import { describe, expect, it } from 'vitest'
import { ownFunctionProblem, expandOwnFunctions } from '#shared/formula/ownFunctions.ts'
import { settingsShape } from '#shared/contract/areas/settings.ts'
import type { OwnFunction } from '#shared/formula/ownFunctionShape.ts'
import { cellsOf, input } from './formulaInputs.ts'

const gap: OwnFunction = { name: 'gap', parameters: ['x', 'y'], formula: 'x - y' }
const score: OwnFunction = { name: 'score', parameters: ['x', 'y', 'n'], formula: 'zscore(gap(x, y), n)' }
const functions = [gap, score]
const expand = (formula: string, all = functions) => expandOwnFunctions(formula, all)

describe('own functions', () => {
  it('are written out with the arguments in their places, however they are nested', () => {
    expect(expand('score(a, b, 240)')).toEqual({ formula: 'zscore(a - b, 240)' })
    expect(expand('2 * gap(a, b - c) ^ 2')).toEqual({ formula: '2 * (a - (b - c)) ^ 2' })
    expect(expand("sma(gap(gap(a, b), c), '1d')")).toEqual({ formula: "sma(a - b - c, '1d')" })
    // An argument with the same name as a parameter of the function stays the argument.
    expect(expand('gap(y, x)')).toEqual({ formula: 'y - x' })
  })

  it('give the values of what they stand for', () => {
    const named = { a: input([1, 2, 4, 8]), b: input([1, 1, 1, 2]) }
    const { formula } = expand('gap(a, b) / gap(b, a)') as { formula: string }
    expect(cellsOf(formula, named)).toEqual([null, -1, -1, -1])
  })

  it('leave a formula without them as it was written', () => {
    expect(expand('zscore( a-b ,240)')).toEqual({ formula: 'zscore( a-b ,240)' })
  })

  it('say at the call what is wrong', () => {
    expect(expand('1 + gap(a)')).toEqual({
      problem: { message: 'gap(x, y) needs 2 arguments, not 1.', start: 4, end: 10 },
    })
    const half = { name: 'half', parameters: ['x'], formula: 'x / 2' }
    expect(expand('half(a, b)', [half])).toMatchObject({
      problem: { message: 'half(x) needs 1 argument, not 2.' },
    })
    const loop = [{ ...gap, formula: 'gap(x, y)' }]
    expect(expand('gap(a, b)', loop)).toMatchObject({ problem: { message: 'In gap: gap calls itself.', start: 0 } })
  })

  it('stop where each level doubles the one below', () => {
    const doubling = Array.from({ length: 40 }, (_, at) => ({
      name: `f${at}`,
      parameters: ['x'],
      formula: at === 0 ? 'x + x' : `f${at - 1}(x) + f${at - 1}(x)`,
    }))
    expect(expand('f39(a)', doubling)).toMatchObject({ problem: { start: 0, end: 6 } })
    const inArgument = Array.from({ length: 40 }, () => 'f0(').join('') + 'a' + ')'.repeat(40)
    expect(expand(inArgument, doubling)).toHaveProperty('problem')
  })

  it('are saved only if they can be computed', () => {
    const problem = (parts: Partial<OwnFunction>) => ownFunctionProblem({ ...gap, name: 'mine', ...parts }, functions)
    expect(problem({})).toBeNull()
    expect(problem({ name: 'sma' })).toContain('already')
    expect(problem({ name: 'Mine' })).toContain('lower-case letter')
    expect(problem({ name: 'and' })).toContain('lower-case letter')
    expect(problem({ parameters: [] })).toContain('at least one')
    expect(problem({ parameters: ['x', 'x'] })).toContain('same name')
    expect(problem({ formula: 'x - z' })).toBe('z is not a parameter of the function.')
    expect(problem({ formula: 'x -' })).toContain('Expected')
    expect(problem({ formula: 'nothing(x)' })).toContain('nothing')
    expect(problem({ formula: 'mine(x, y)' })).toContain('calls itself')
    expect(ownFunctionProblem({ ...gap, formula: 'score(x, y, 5)' }, functions)).toContain('calls itself')
  })
})

describe('the limits of own functions', () => {
  const parameters = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`)
  const problem = (parts: Partial<OwnFunction>) => ownFunctionProblem({ ...gap, name: 'mine', ...parts }, functions)

  it('allow 12 parameters and no more', () => {
    expect(problem({ parameters: parameters(12), formula: 'x0 - x11' })).toBeNull()
    expect(problem({ parameters: parameters(13), formula: 'x0' })).toBe('The function has more than 12 parameters.')
  })

  it('allow 2000 characters and no more', () => {
    const formula = (characters: number) => 'x - y'.padEnd(characters)
    expect(problem({ formula: formula(2000) })).toBeNull()
    expect(problem({ formula: formula(2001) })).toBe('The formula has more than 2000 characters.')
  })

  it('allow 200 functions and no more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...gap, name: `f${at}` }))
    const areAllowed = (count: number) => settingsShape.shape.formulaFunctions.safeParse(many(count)).success
    expect([200, 201].map(areAllowed)).toEqual([true, false])
  })
})
