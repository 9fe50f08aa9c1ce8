import { describe, expect, it } from 'vitest'
import { readSources, staticImports } from '../sourceTree.ts'

const files = new Map(readSources(['electron', 'shared', 'renderer']).map((file) => [file.path, file]))

/** Returns all modules that are loaded before an entry file runs. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set<string>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    const file = files.get(path)
    if (file) waiting.push(...staticImports(file))
  }
  return loaded
}

/** Modules whose import takes longer than the rest of a start, because all their getters are read. */
const heavyModules = ['node:http', 'node:https', 'node:http2', 'node:tls']

describe('a light start', () => {
  it('loads neither the core nor a schema before the command line knows what is asked', () => {
    const loaded = loadedBy('electron/cli/index.ts')
    expect(loaded).toContain('electron/cli/run.ts')
    expect(
      [...loaded].filter((path) =>
        /^electron\/core\/(app|handlers|clients\/http)|^zod$|^shared\/contract\/areas/.test(path),
      ),
    ).toEqual([])
  })

  it('of a window loads neither a schema nor what only dialogs, exports and formulas need', () => {
    const loaded = loadedBy('renderer/main.ts')
    expect(loaded).toContain('renderer/views/workbench/WorkbenchView.vue')
    expect(
      [...loaded].filter((path) =>
        /^zod$|^shared\/(schemas|contract\/areas)|naiveDark|chartSvg|text\/settings\.ts|functionTable/.test(path),
      ),
    ).toEqual([])
  })

  it.each(['electron/core/app.ts', 'electron/web/server.ts'])(
    'of %s loads no module of Node that is slow to import',
    (entry) => {
      const loaded = loadedBy(entry)
      expect(loaded.size).toBeGreaterThan(10)
      expect(heavyModules.filter((name) => loaded.has(name))).toEqual([])
    },
  )
})
