export type Combination = Record<string, number>

const placeholderPattern = /\{([a-z][A-Za-z0-9]{0,19})\}/g

/** Lists the placeholders in a formula, which are in braces. */
export const placeholdersOf = (formula: string): string[] =>
  [...formula.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)

/** Maximum number of combinations of a grid. */
export const MOST_COMBINATIONS = 100_000

export const countCombinations = (parameters: Record<string, readonly number[]>): number =>
  Object.values(parameters).reduce((count, values) => count * values.length, 1)

/** Lists every combination of the parameters in document order; the last name varies fastest. */
export function combinationsOf(parameters: Record<string, readonly number[]>): Combination[] {
  return Object.entries(parameters).reduce<Combination[]>(
    (grid, [name, values]) => grid.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
}

/** Replaces placeholders by numbers as JSON prints them, with negative ones in parentheses. */
const fillSignal = (signal: string, parameters: Combination): string =>
  signal.replace(placeholderPattern, (match, name: string) => {
    if (!Object.hasOwn(parameters, name)) return match
    const numberText = JSON.stringify(parameters[name])
    return numberText.startsWith('-') ? `(${numberText})` : numberText
  })

/** Builds the document of one combination of a grid. */
export const combinationStudy = <Study extends { signal: string; parameters: unknown; walkForward: unknown }>(
  study: Study,
  parameters: Combination,
): Study => ({ ...study, signal: fillSignal(study.signal, parameters), parameters: null, walkForward: null })
