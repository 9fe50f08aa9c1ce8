import { resolve } from 'node:path'

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** Entries of the programs: paths of their sources, from the root of the project. */
interface Entries {
  core: string
  cli: string
  commands: readonly string[]
  workers: readonly string[]
}

/** Number of workers from which on a module that they share stands in a file of its own. */
const MANY_WORKERS = 5

/**
 * Names the few files that the core is built into. Left to itself, the bundler writes one file for each set of programs that
 * share a module, about eighty for the core, and a command spends most of its time finding and linking them.
 * Modules are grouped by the programs that load them when they start. The programs that load a module load what it imports too,
 * so the groups never import each other in a circle.
 */
export function createCoreChunks(root: string, { core, cli, commands, workers }: Entries) {
  let chunks: ((id: string) => string | null) | null = null

  function reachedFrom(paths: readonly string[], graph: ModuleGraph): Set<string> {
    const found = new Set<string>()
    const waiting = paths.map((path) => resolve(root, path))
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (found.has(id)) continue
      found.add(id)
      waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
    }
    return found
  }

  function chunksOf(graph: ModuleGraph) {
    const [ofCore, ofCli, ofCommands] = [[core], [cli], commands].map((paths) => reachedFrom(paths, graph))
    const ofWorkers = workers.map((path) => reachedFrom([path], graph))
    return (id: string): string | null => {
      if (!ofCore.has(id) || ofCli.has(id)) return null
      if (id.includes('/node_modules/zod/')) return 'zod'
      const sharing = ofWorkers.filter((reached) => reached.has(id)).length
      if (sharing >= MANY_WORKERS) return 'core-workers'
      // In a file with more of the core, the few workers that need it would load the store as well.
      if (sharing > 0) return null
      return ofCommands.has(id) ? 'core-commands' : 'core'
    }
  }

  return (id: string, graph: ModuleGraph): string | null => (chunks ??= chunksOf(graph))(id)
}
