/** A check reads one input that a stranger may have sent, in a process of its own, which is ended where it takes too long. */
export interface Check {
  /** Honest inputs, which the mutations start from. */
  seeds(): readonly Uint8Array[]
  tokens?: readonly string[]
  isJson?: boolean
  /** Reads an input. @returns the rule that was broken, or null; throwing breaks a rule too */
  read(bytes: Uint8Array): string | null | Promise<string | null>
}

export type CheckName =
  | 'parquet'
  | 'json'
  | 'formulas'
  | 'workspaces'
  | 'studies'
  | 'queries'
  | 'sql'
  | 'quality'
  | 'arguments'

/** Loads a check, in the process that runs it and in the one that draws its mutants. */
export const checks: Record<CheckName, () => Promise<Check>> = {
  parquet: async () => (await import('./checks/parquet.ts')).check,
  json: async () => (await import('./checks/json.ts')).check,
  formulas: async () => (await import('./checks/formulas.ts')).check,
  workspaces: async () => (await import('./checks/workspaces.ts')).check,
  studies: async () => (await import('./checks/studies.ts')).check,
  queries: async () => (await import('./checks/queries.ts')).check,
  sql: async () => (await import('./checks/sql.ts')).check,
  quality: async () => (await import('./checks/quality.ts')).check,
  arguments: async () => (await import('./checks/arguments.ts')).check,
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Decodes bytes as the program does, which replaces what is not UTF-8. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Calls the work and swallows the errors that it may throw. @returns its result; undefined after such an error */
export function allowing<Result>(allowed: readonly ErrorClass[], work: () => Result): Result | undefined {
  try {
    return work()
  } catch (thrown) {
    if (allowed.some((kind) => thrown instanceof kind)) return undefined
    throw thrown
  }
}

type ErrorClass = abstract new (...args: never[]) => Error
