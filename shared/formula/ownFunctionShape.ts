/** A custom function that the user saved: a formula with parameters. */
export interface OwnFunction {
  name: string
  parameters: string[]
  formula: string
}

/** Pattern for the names of custom functions and their parameters. */
export const ownNamePattern = /^[a-z][a-z0-9_]{0,29}$/
export const MOST_OWN_FUNCTIONS = 200
export const MOST_OWN_PARAMETERS = 12
export const MOST_OWN_CHARACTERS = 2000

/** Builds the signature of a custom function: `gap(x, y)`. */
export const ownSignature = ({ name, parameters }: OwnFunction): string => `${name}(${parameters.join(', ')})`
