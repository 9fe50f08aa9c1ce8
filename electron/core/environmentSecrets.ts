import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

export const secretNames = [
  'PERPSCOPE_API_KEY',
  'PERPSCOPE_PORTFOLIO_KEY',
  'PERPSCOPE_ENGINE_PASSWORD',
  'PERPSCOPE_STORE_KEY',
] as const

/**
 * Removes the secrets from the environment of this process, so that no child process (such as a browser) inherits them
 * and nobody reads them from the process list.
 * @returns the API key, the key of the portfolio service, the engine password and the store key; undefined if not set
 */
export function takeEnvironmentSecrets(environment: Record<string, string | undefined> = process.env) {
  const [environmentKey, environmentPortfolioKey, environmentPassword, environmentStoreKey] = secretNames.map(
    (name) => environment[name] || undefined,
  )
  const secrets = { environmentKey, environmentPortfolioKey, environmentPassword, environmentStoreKey }
  for (const name of secretNames) delete environment[name]
  if (environment === process.env && Object.values(secrets).some(Boolean)) eraseInMemory()
  return secrets
}

/**
 * Overwrites the values in the memory that Linux shows as `/proc/PID/environ`: deleting a variable only removes the
 * pointer to it. Where the system does not allow that, they stay visible to programs of the same account.
 */
function eraseInMemory(): void {
  if (process.platform !== 'linux') return
  try {
    const status = readFileSync('/proc/self/stat', 'latin1')
    // The fields follow the program's name, which is in parentheses and may contain any character.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    const [start, end] = [Number(fields[ENVIRONMENT_START]), Number(fields[ENVIRONMENT_START + 1])]
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      const block = Buffer.alloc(end - start)
      readSync(memory, block, 0, block.length, start)
      for (const { at, length } of secretValues(block)) writeSync(memory, Buffer.alloc(length), 0, length, start + at)
    } finally {
      closeSync(memory)
    }
  } catch {
    // The process goes on without it, as on other systems.
  }
}

/** Position of the field `env_start` in `/proc/PID/stat`, counted from the field after the name; `env_end` follows. */
const ENVIRONMENT_START = 47

/** Finds the values of the secrets in a block of `NAME=value` texts that each end in a zero byte. */
function secretValues(block: Buffer): { at: number; length: number }[] {
  const found: { at: number; length: number }[] = []
  for (let from = 0; from < block.length;) {
    const zero = block.indexOf(0, from)
    const end = zero < 0 ? block.length : zero
    const entry = block.toString('latin1', from, end)
    const name = secretNames.find((each) => entry.startsWith(`${each}=`))
    if (name !== undefined) found.push({ at: from + name.length + 1, length: entry.length - name.length - 1 })
    from = end + 1
  }
  return found
}
