/** A function that the person saved: a formula over its parameters. */
export interface OwnFunction {
  name: string
  parameters: string[]
  formula: string
}

/** Form of the names of own functions and of their parameters. */
export const ownNameShape = /^[a-z][a-z0-9_]{0,29}$/
export const MOST_OWN_FUNCTIONS = 200
export const MOST_OWN_PARAMETERS = 12
export const MOST_OWN_CHARACTERS = 2000

/** Builds the signature of an own function: `gap(x, y)`. */
export const ownSignature = ({ name, parameters }: OwnFunction): string => `${name}(${parameters.join(', ')})`
