import { expect, it } from 'vitest'
import { createCoreChunks } from '../../../scripts/coreChunks.ts'

const modulesNamed = (names: readonly string[], kind: string) => names.map((name) => `/p/${name}${kind}`)
const workers = modulesNamed(['a', 'b', 'c', 'd', 'e', 'f'], 'Worker')
const commands = modulesNamed(['ls', 'read', 'export', 'fetch', 'sql', 'watch', 'key', 'verify'], 'Command')
const imports: Record<string, string[]> = {
  '/p/app': ['/p/store', '/p/print', '/p/time', '/p/ledger', '/p/panel', '/p/errors', '/p/node_modules/zod/index'],
  '/p/store': ['/p/time', '/p/node_modules/better-sqlite3/index'],
  '/p/ledger': ['/p/node_modules/better-sqlite3/index'],
  '/p/cli': ['/p/errors', '/p/help', '/p/names', '/p/policy'],
  '/p/desktop': ['/p/policy', '/p/window'],
  ...Object.fromEntries(commands.map((command) => [command, ['/p/options']])),
  ...Object.fromEntries(workers.map((worker) => [worker, ['/p/time', '/p/names', '/p/own']])),
}
imports['/p/lsCommand'].push('/p/print', '/p/pages')
imports['/p/aWorker'].push('/p/ledger', '/p/panel', '/p/settings')
imports['/p/app'].push('/p/settings')
imports['/p/settings'] = ['/p/node_modules/zod/index']

it('puts the programs into few files, by the programs that begin with a module', () => {
  const graph = { getModuleInfo: (id: string) => ({ importedIds: imports[id] ?? [] }) }
  const entries = { core: 'app', desktop: 'desktop', cli: 'cli', commands, workers, externals: ['better-sqlite3'] }
  const chunkOf = createCoreChunks('/p', entries)
  const chunks = (...names: string[]) => names.map((name) => chunkOf(`/p/${name}`, graph))
  expect(chunks('app', 'store', 'print', 'time')).toEqual(['core', 'core', 'core-commands', 'core-workers'])
  expect(chunks('node_modules/zod/index', 'panel')).toEqual(['zod', 'core-some-workers'])
  // A worker that uses no schemas does not load them.
  expect(chunks('settings')).toEqual(['core-schemas'])
  // What every command loads stands in no file that other programs share, except for the part that they load too.
  expect(chunks('errors', 'help', 'policy', 'names')).toEqual(['hosts', 'cli', 'hosts', 'hosts'])
  expect(chunks('options')).toEqual(['cli-commands'])
  // The bundler itself places entries, modules that only one program needs, and modules that would pull in a package.
  expect(chunks('cli', 'aWorker', 'own', 'pages', 'ledger', 'window')).toEqual(Array(6).fill(null))
})
