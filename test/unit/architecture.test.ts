import { existsSync } from 'node:fs'
import { ESLint, type Linter } from 'eslint'
import { describe, expect, it } from 'vitest'
import { callNames, eventNames } from '#shared/contract/names.ts'
import { floors, roomOf } from '../../scripts/lint/importTable.js'
import { importTableText } from '../../scripts/lint/importTableText.js'
import { findCycle, readSources, readText } from './sourceTree.ts'

const sources = readSources(['shared', 'electron', 'renderer'])
const everything = [...sources, ...readSources(['scripts', 'test'])]
const nameOf = (path: string) => path.split('/').at(-1) ?? ''
const importersOf = (target: string) =>
  sources.filter(({ imports }) => imports.includes(target)).map(({ path }) => path)

/** Options without rules that need a type-checked program, because the linted samples are not files on disk. */
const withoutTypes = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { project: null } },
  rules: {
    '@typescript-eslint/no-floating-promises': 'off',
    '@typescript-eslint/no-misused-promises': 'off',
    '@typescript-eslint/await-thenable': 'off',
  },
} satisfies Linter.Config

/** Returns the lint messages for a text as if it were the file at `path`. */
async function lintMessages(path: string, text: string): Promise<string[]> {
  const [result] = await new ESLint({ overrideConfig: withoutTypes }).lintText(text, { filePath: path })
  return result.messages.map(({ message }) => message)
}

describe('ARCHITECTURE.md', () => {
  const text = readText('ARCHITECTURE.md')

  it('shows the import table that lint enforces', () => {
    expect(text, 'run: node scripts/lint/importTableText.js').toContain(importTableText())
  })

  it('stays short enough to be read', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(100)
  })
})

it('docs/FLOWS.md names files that exist', () => {
  const named = [...readText('docs/FLOWS.md').matchAll(/`((?:electron|renderer|shared)\/[^`]+)`/g)].map(
    ([, path]) => path,
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([])
})

describe('the zones', () => {
  it.each([
    ['shared/contract/sample.ts', "import { readFileSync } from 'node:fs'\nexport const read = readFileSync\n"],
    ['electron/core/clients/sample.ts', "import type { Store } from '#core/store/store.ts'\nexport type It = Store\n"],
    ['electron/core/downloads/sample.ts', "export { app } from 'electron'\n"],
    ['electron/core/export/sample.ts', "export const load = () => import('../../main/index.ts')\n"],
    ['renderer/charts/sample.ts', "export * from '../stores/settings.ts'\n"],
    ['electron/cli/sample.ts', "import { it } from '../../test/fakes/hostPorts.ts'\nexport const that = it\n"],
  ])('refuse a forbidden import in %s', async (path, text) => {
    expect(await lintMessages(path, text)).toEqual([expect.stringMatching(/may not import .*see ARCHITECTURE\.md/)])
  })

  it.each(['shared/newFolder/sample.ts', 'electron/core/newFolder/sample.ts', 'renderer/newFolder/sample.ts'])(
    'refuse %s, whose folder has no place',
    async (path) => {
      const text = "import type { Store } from '#core/store/store.ts'\nexport type It = Store\n"
      expect(await lintMessages(path, text)).toEqual([expect.stringMatching(/has no place in .*see ARCHITECTURE\.md/)])
    },
  )

  it('accept an allowed one', async () => {
    const text = "import type { Frame } from '#shared/contract/frame.ts'\nexport type It = Frame\n"
    expect(await lintMessages('shared/metrics/sample.ts', text)).toEqual([])
  })

  it('refuse fetch outside its one file', async () => {
    const text = "export const get = () => fetch('https://example.com')\n"
    expect(await lintMessages('electron/core/downloads/sample.ts', text)).toHaveLength(1)
    expect(await lintMessages('electron/core/clients/http.ts', text)).toEqual([])
  })

  it('cover every source', () => {
    expect(sources.filter(({ path }) => !roomOf(path)).map(({ path }) => path)).toEqual([])
  })

  it('name every folder once', () => {
    const folders = floors.flatMap(({ rooms }) => rooms)
    expect(new Set(folders).size).toBe(folders.length)
  })
})

describe('the sources', () => {
  it('import each other without a loop', () => {
    expect(findCycle(sources)).toBeNull()
  })

  it('would be caught in a loop', () => {
    const file = (path: string, imports: string[]) => ({ path, text: '', imports })
    expect(findCycle([file('a', ['b']), file('b', ['c']), file('c', ['b'])])).toEqual(['b', 'c', 'b'])
  })

  it('never import tests', () => {
    const reachesTests = ({ imports }: { imports: string[] }) => imports.some((target) => /^test\//.test(target))
    const outside = everything.filter(({ path }) => !path.startsWith('test/'))
    expect(outside.filter(reachesTests).map(({ path }) => path)).toEqual([])
  })

  it('replace no module in the tests that share one, because another test may have loaded it before', () => {
    const shared = everything.filter(({ path }) => /^test\/(unit|contract|migrations|components)\//.test(path))
    expect(shared.filter(({ text }) => /\bvi\.(do)?Mock\(/i.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('have no file that only passes on what others export', () => {
    const onlyPassesOn = ({ text }: { text: string }) => {
      const statements = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim()
      return (
        statements !== '' &&
        statements.replace(/export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?\s+from\s+'[^']*';?/g, '').trim() === ''
      )
    }
    expect(sources.filter(onlyPassesOn).map(({ path }) => path)).toEqual([])
  })

  it('have names that say something', () => {
    const vague = everything.filter(({ path }) =>
      /(^|\/)(utils?|helpers?|common|managers?)(\.|\/)|Manager\.|Utils?\.|Helpers?\./.test(path),
    )
    expect(vague.map(({ path }) => path)).toEqual([])
  })

  it('are named in camelCase, components in PascalCase', () => {
    const shapes: Record<string, RegExp> = { vue: /^[A-Z][A-Za-z0-9]*\.vue$/, ts: /^[a-z][A-Za-z0-9]*(\.d)?\.ts$/ }
    const odd = sources.filter(({ path }) => {
      const shape = shapes[path.split('.').at(-1) ?? '']
      // Migrations are named by number, which gives their order.
      return shape && !shape.test(nameOf(path)) && !path.includes('/migrations/')
    })
    expect(odd.map(({ path }) => path)).toEqual([])
  })

  it('call fetch in one file only', () => {
    const callers = sources.filter(({ text }) => /(?<![.\w])fetch\(/.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')))
    expect(callers.map(({ path }) => path).filter((path) => path !== 'electron/core/clients/http.ts')).toEqual([])
  })

  it('speak to the database in the store only', () => {
    expect(importersOf('better-sqlite3').filter((path) => !path.startsWith('electron/core/store/'))).toEqual([])
  })

  it('know Electron in its own host only', () => {
    const outside = importersOf('electron').filter((path) => !/^electron\/(main|preload)\//.test(path))
    expect(outside).toEqual([])
  })

  it('do without what they are only measured against', () => {
    const peers = ['echarts', 'lightweight-charts', 'nodejs-polars']
    expect(peers.flatMap(importersOf)).toEqual([])
  })

  it('load DuckDB in the process of the SQL engine only', () => {
    const outside = importersOf('@duckdb/node-api').filter((path) => !path.startsWith('electron/sqlEngine/'))
    expect(outside).toEqual([])
  })

  it('import private paths of hyparquet in its adapter only', () => {
    const importers = sources.filter(({ text }) => /from 'hyparquet\/src\//.test(text)).map(({ path }) => path)
    expect(importers.map(nameOf)).toEqual(['hyparquetInternals.ts'])
  })

  it('export names, not defaults', () => {
    const withDefault = sources.filter(({ path, text }) => !path.endsWith('.vue') && /^export default /m.test(text))
    expect(withDefault.map(({ path }) => path)).toEqual([])
  })
})

describe('the contract', () => {
  it('names calls area.verb and events area.happened', () => {
    for (const name of [...callNames, ...eventNames]) expect(name).toMatch(/^[a-z]+(-[a-z]+)*\.[a-z][A-Za-z]*$/)
    expect(new Set(callNames).size).toBe(callNames.length)
  })
})
