import type { z } from 'zod'

/** One call: the schema of its input, and the type of its output (which carries no value). */
export interface CallSpec<Input extends z.ZodType, Output> {
  input: Input
  /** Exists for the type checker only. */
  output?: Output
}

export const call =
  <Input extends z.ZodType>(input: Input) =>
  <Output>(): CallSpec<Input, Output> => ({ input })
