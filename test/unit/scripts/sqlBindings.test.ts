import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Lock {
  packages: Record<
    string,
    { version?: string; optionalDependencies?: Record<string, string>; dev?: boolean } | undefined
  >
}

const { packages } = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as Lock

it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])(
  'the lock has the binding of the SQL engine for %s, in the version of the engine',
  (platform) => {
    const version = packages['node_modules/@duckdb/node-api']?.version
    const binding = packages[`node_modules/@duckdb/node-bindings-${platform}`]
    expect(binding).toMatchObject({ version, optional: true })
    expect(binding).not.toHaveProperty('dev')
  },
)
