import type { z } from 'zod'

/** A call: the schema of its input, and the type of its output (a type only, without a value). */
export interface CallSpec<Input extends z.ZodType, Output> {
  input: Input
  /** Type of the output; no value exists at run time. */
  output?: Output
}

export const call =
  <Input extends z.ZodType>(input: Input) =>
  <Output>(): CallSpec<Input, Output> => ({ input })
