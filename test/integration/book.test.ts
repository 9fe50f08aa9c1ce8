import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { run as runCommandLine } from '../../electron/cli/run.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

interface Step {
  args?: string[]
  own?: { name: string; file: string }
  exit?: number
  expect?: string
  says?: string[]
}

interface Case {
  id: string
  about: string
  world: string | null
  steps: Step[]
}

interface Served {
  url: string
  key: string
  log: { url: string }[]
  close(): void
}

const fixtures = join(import.meta.dirname, '../fixtures/book')
const cases = readdirSync(join(fixtures, 'cases'))
const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(fixtures, ...path), 'utf8'))
const moduleOf = (name: string) => import(pathToFileURL(join(fixtures, name)).href)
const { serveWorlds } = (await moduleOf('serve.mjs')) as {
  serveWorlds(worlds: Record<string, unknown>): Promise<Served>
}
const { compare, compareCsv } = (await moduleOf('compare.mjs')) as {
  compare(expected: unknown, actual: unknown): string[]
  compareCsv(expected: unknown, text: string): string[]
}

/** Keys that people's own programs read, by command: they are not renamed, moved or left out. */
const promisedKeys = readJson('promised-keys.json') as Record<string, string[]>

/** Lists the promised keys that an answer lacks; `rows.price` is a key of the first of the rows, if there are any. */
function missingKeys(promised: readonly string[], answer: object): string[] {
  const valueOf = (of: unknown, key: string): unknown => (of as Record<string, unknown>)[key]
  return promised.filter((path) => {
    const [key, inner] = path.split('.')
    if (!(key in answer)) return true
    const value = [valueOf(answer, key)].flat()[0]
    return inner !== undefined && typeof value === 'object' && value !== null && !(inner in value)
  })
}

describe('the book', () => {
  test.each(cases)('%s has the expected answers', { timeout: 120_000 }, async (id) => {
    const { world, steps } = readJson('cases', id, 'case.json') as Case
    const folder = join(fixtures, 'cases', id)
    const dataDir = temporaryFolder()
    const served = world === null ? null : await serveWorlds({ '': readJson('cases', id, world) })
    if (served) {
      const { connections } = openTestStore(dataDir)
      const fields = { name: 'desk', metricsUrl: served.url, portfolioUrl: served.url, catalogLocation: '', tier: null }
      connections.use(connections.add(fields).id)
    }
    const hashes: (string | undefined)[] = []
    const perpscope = async (args: readonly string[]) => {
      const written = { stdout: '', stderr: '' }
      const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
      const context = {
        ...{ stdout: sink('stdout'), stderr: sink('stderr'), signal: new AbortController().signal },
        env: { PERPSCOPE_API_KEY: served?.key ?? '' },
      }
      return { status: await runCommandLine([...args, '--data-dir', dataDir], context), ...written }
    }
    for (const [at, { args, own, exit, expect: file, says = [] }] of steps.entries()) {
      const words = own ? ['portfolio', 'own', 'add', own.name, join(folder, own.file)] : (args ?? [])
      const given = words.map((word) =>
        /\.(?:json|csv)$/.test(word) && own === undefined
          ? join(folder, word)
          : word.replace(/\{(\d+)\}/g, (_, step) => hashes[Number(step) - 1]?.slice(0, 12) ?? ''),
      )
      const ended = await perpscope(given)
      expect({ step: at + 1, status: ended.status, stderr: ended.status === (exit ?? 0) ? '' : ended.stderr }).toEqual({
        step: at + 1,
        status: exit ?? 0,
        stderr: '',
      })
      if ((exit ?? 0) !== 0) {
        expect(ended.stdout).toBe('')
        for (const word of says) expect(ended.stderr).toContain(word)
        continue
      }
      if (args?.includes('--json')) {
        const answer = JSON.parse(ended.stdout) as { documentHash?: string }
        hashes[at] = answer.documentHash
        const kind = 'kind' in answer ? String(answer.kind) : args[0] === 'portfolio' ? args[1] : args[0]
        expect({ kind, missing: missingKeys(promisedKeys[kind] ?? [], answer) }).toEqual({ kind, missing: [] })
      }
      if (file === undefined) continue
      const expected = readJson('cases', id, file)
      const differences = Array.isArray(expected)
        ? compareCsv(expected, ended.stdout)
        : compare(expected, JSON.parse(ended.stdout))
      expect(differences).toEqual([])
    }
    const asked = served?.log.map(({ url }) => url) ?? []
    expect(asked.filter((url, at) => asked.indexOf(url) !== at)).toEqual([])
    served?.close()
  })
})
