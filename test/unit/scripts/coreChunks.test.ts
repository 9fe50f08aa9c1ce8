import { expect, it } from 'vitest'
import { createCoreChunks } from '../../../scripts/coreChunks.ts'

const workers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `/p/${name}Worker`)
const imports: Record<string, string[]> = {
  '/p/app': ['/p/store', '/p/print', '/p/time', '/p/ledger', '/p/errors', '/p/node_modules/zod/index'],
  '/p/store': ['/p/time'],
  '/p/cli': ['/p/errors', '/p/help'],
  '/p/ls': ['/p/print'],
  ...Object.fromEntries(workers.map((worker) => [worker, ['/p/time', '/p/errors', '/p/own']])),
}
imports[workers[0]].push('/p/ledger')

it('puts the core into few files, by the programs that begin with a module', () => {
  const graph = { getModuleInfo: (id: string) => ({ importedIds: imports[id] ?? [] }) }
  const chunkOf = createCoreChunks('/p', { core: 'app', cli: 'cli', commands: ['ls'], workers })
  const chunks = (...names: string[]) => names.map((name) => chunkOf(`/p/${name}`, graph))
  expect(chunks('app', 'store', 'print', 'time')).toEqual(['core', 'core', 'core-commands', 'core-workers'])
  expect(chunks('node_modules/zod/index')).toEqual(['zod'])
  // What one worker, the first words of a command line or no core needs stays with the bundler.
  expect(chunks('ledger', 'errors', 'help', 'own', 'aWorker')).toEqual([null, null, null, null, null])
})
