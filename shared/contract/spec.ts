import type { z } from 'zod'

/**
 * What other programs and assistants are told about an operation. Their routes, the API description and their tools
 * follow from it.
 */
export interface OperationFacts {
  /** A few words, such as a menu would have. */
  label: string
  /** One sentence on what it does. */
  help: string
  /** Method and path under which the local API offers it; a last part `{id}` is the field of that name. */
  route?: `${'GET' | 'POST'} /v1/${string}`
  /** Input of an example in the description of the local API. */
  example?: Readonly<Record<string, unknown>>
  /** Field that is the whole body of the route. */
  body?: string
  /** Name of the assistant's tool. */
  tool?: string
  /** True if a use leaves something behind that the user sees: a trial, or downloads in the queue. */
  changes?: true
  /** True if a use sends requests to a service. */
  reachesOut?: true
  /** Where an answer that names no files comes from. */
  source?: string
  /** When what an answer says may be used, if its rows do not say it. */
  knownAt?: string
}

/** A call: the schema of its input, and the type of its output (a type only, without a value). */
export interface CallSpec<Input extends z.ZodType, Output> {
  input: Input
  /** Type of the output; no value exists at run time. */
  output?: Output
  /** Absent from a call that only windows and the command line make. */
  operation?: OperationFacts
}

export const call =
  <Input extends z.ZodType>(input: Input, operation?: OperationFacts) =>
  <Output>(): CallSpec<Input, Output> => ({ input, ...(operation && { operation }) })

/** Output of a call whose input names a kind of document, with the output of each kind. */
export interface PerKind<ByKind> {
  byKind: ByKind
}
