/** Fuzz check that reads one untrusted input in a separate process, which is ended if it takes too long. */
export interface Check {
  /** Returns valid inputs, from which the mutations start. */
  seeds(): readonly Uint8Array[]
  tokens?: readonly string[]
  isJson?: boolean
  /** Reads an input. @returns the rule that was broken, or null; an exception breaks a rule too */
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

/**
 * Functions that load the checks; both the process that runs a check and the one that creates its mutants call them.
 */
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

/** Decodes bytes as the program does, which replaces invalid UTF-8. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Calls the work and swallows the allowed errors. @returns its result, or undefined after such an error */
export function allowing<Result>(allowed: readonly ErrorClass[], work: () => Result): Result | undefined {
  try {
    return work()
  } catch (thrown) {
    if (allowed.some((kind) => thrown instanceof kind)) return undefined
    throw thrown
  }
}

type ErrorClass = abstract new (...args: never[]) => Error
