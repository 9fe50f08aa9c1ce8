import { resolve } from 'node:path'

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/** Source files with which the programs start, as paths from the root of the project. */
interface EntryFiles {
  core: string
  desktop: string
  cli: string
  commands: readonly string[]
  workers: readonly string[]
  /** Packages that are not bundled. */
  externals: readonly string[]
}

/** Number of workers that must use a module before it goes into the file that they share. */
const MANY_WORKERS = 5
const ZOD = '/node_modules/zod/'
/** Number of commands that must use a module before it goes into the file that they share. */
const MANY_COMMANDS = 8

/**
 * Assigns modules to a few output files (chunks). By default the bundler writes one file for each set of programs that
 * share a module, so that one command loads some eighty files and spends most of its time finding and linking them.
 * Here modules are grouped by the programs that load them at their start. A program that loads a module also loads the
 * module's imports, so the groups have no circular imports.
 */
export function createCoreChunks(root: string, { core, desktop, cli, commands, workers, externals }: EntryFiles) {
  let findChunk: ((id: string) => string | null) | null = null

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

  function chunkFinder(graph: ModuleGraph) {
    const [idsOfCore, idsOfDesktop, idsOfCli] = [core, desktop, cli].map((path) => reachedFrom([path], graph))
    const idsOfCommands = commands.map((path) => reachedFrom([path], graph))
    const idsOfWorkers = workers.map((path) => reachedFrom([path], graph))
    const count = (sets: readonly Set<string>[], id: string) => sets.filter((reached) => reached.has(id)).length
    // What every command loads is kept out of the larger files, of which a command such as “--version” needs nothing.
    // The part that other programs load too gets its own file.
    const chunkOfCli = (id: string) =>
      idsOfDesktop.has(id) || idsOfCore.has(id) || count(idsOfWorkers, id) > 0 ? 'hosts' : 'cli'
    return (id: string): string | null => {
      if (id === resolve(root, cli)) return null
      if (idsOfCli.has(id)) return chunkOfCli(id)
      const workerCount = count(idsOfWorkers, id)
      if (idsOfCore.has(id)) {
        if (id.includes(ZOD)) return 'zod'
        // A worker that uses one of these modules loads the file with all of them. Modules that import the schemas' package
        // or one that is not bundled (such as the database), even indirectly, are therefore left out of these files.
        if (workerCount >= MANY_WORKERS) return reaches(id, ZOD, graph) ? 'core-workers-schemas' : 'core-workers'
        if (workerCount > 0) {
          if (externals.some((name) => reaches(id, name, graph))) return null
          return reaches(id, ZOD, graph) ? 'core-schemas' : 'core-some-workers'
        }
        return count(idsOfCommands, id) > 0 ? 'core-commands' : 'core'
      }
      if (workerCount > 0) return null
      return count(idsOfCommands, id) >= MANY_COMMANDS ? 'cli-commands' : null
    }
  }

  const reaches = (id: string, name: string, graph: ModuleGraph) =>
    [...reachedFrom([id], graph)].some((each) => each.includes(name))

  return (id: string, graph: ModuleGraph): string | null => (findChunk ??= chunkFinder(graph))(id)
}
