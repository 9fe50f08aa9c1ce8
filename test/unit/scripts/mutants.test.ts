import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { addProbes, drawMutants, findMutations, mutate } from '../../../scripts/mutants/draw.mjs'
import { mutantFolders, sourcesOf, testsOf } from '../../../scripts/mutants/folders.mjs'
import { scoreLine, scoreOf } from '../../../scripts/mutants/report.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const replacements = (text: string) => findMutations(text).map((mutation) => mutate(text, mutation))

/** Returns the syntax errors that the parser finds. */
function syntaxErrors(text: string): string[] {
  const parsed = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
  const { parseDiagnostics } = parsed as unknown as { parseDiagnostics: ts.DiagnosticWithLocation[] }
  return parseDiagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

describe('mutations', () => {
  it.each([
    ['a + b', ['a - b']],
    ['a < b', ['a <= b']],
    ['a === "x"', ['a !== "x"', 'a === "x~"']],
    ['a ?? b', ['(a && b)']],
    ['a += 1', [';', 'a -= 1', 'a += 2']],
    ['a++', [';', 'a--']],
    ['x = !a', [';', 'x = a']],
    ['x = -a', [';', 'x = +a']],
    ['x = a ? b : c', [';', 'x = true ? b : c', 'x = false ? b : c']],
    ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) {}']],
    ['while (a) { break }', ['while (false) { break }', 'while (a) { ; }']],
    ['while (true) {}', ['while (false) {}']],
    ['x = 1_000n', [';', 'x = 1001n']],
  ])('of %s follow the rules', (text, expected) => {
    const wanted = ['a + b', 'a < b', 'a === "x"', 'a ?? b'].includes(text) ? [';', ...expected] : expected
    expect(replacements(text).toSorted()).toEqual(wanted.toSorted())
  })

  it('leave types, imports, names of properties and joined texts alone', () => {
    const text = `import x from 'y'\ntype A = 1 | 2\ninterface B { c: 3 }\nconst d = { 4: 'e' } as A\nconst f = 'g' + d`
    expect(findMutations(text)).toEqual([])
  })

  it('of all measured sources can be parsed, and so can the sources with probes', () => {
    const broken: string[] = []
    for (const folder of mutantFolders) {
      const sources = sourcesOf(folder, root)
      for (const { path, text } of sources) {
        const mutants = findMutations(text, path).map((mutation, id) => ({ ...mutation, id }))
        if (syntaxErrors(addProbes(text, mutants)).length > 0) broken.push(`${path} with probes`)
        // Only every 80th mutation is tried, because all of them would take a minute.
        for (const mutant of mutants.filter(({ id }) => id % 80 === 0))
          if (syntaxErrors(mutate(text, mutant)).length > 0) broken.push(`${path}:${mutant.line}`)
      }
    }
    expect(broken).toEqual([])
  })
})

describe('probes', () => {
  it('tell which statement is reached', () => {
    const text = `function f(a) {\n  if (a > 1) return a + 1\n  return (() => a * 2)()\n}\nf(0)`
    const mutants = findMutations(text).map((mutation, id) => ({ ...mutation, id }))
    const reached = new Set<number>()
    new Function('globalThis', addProbes(text, mutants))({ __reached: (id: number) => reached.add(id) })
    const codes = mutants.filter(({ id }) => reached.has(id)).map(({ original }) => original)
    expect(codes).toEqual(expect.arrayContaining(['>', '*', 'f(0)']))
  })
})

describe('the draw', () => {
  const files = sourcesOf(
    mutantFolders.find(({ name }) => name === 'formula')!,
    root,
  )
  const names = (drawn: { name: string }[]) => drawn.map(({ name }) => name).toSorted()

  it('is the same for the same seed, and another for another', () => {
    expect(names(drawMutants(files, 50, '1'))).toEqual(names(drawMutants(files, 50, '1')))
    expect(names(drawMutants(files, 50, '2'))).not.toEqual(names(drawMutants(files, 50, '1')))
  })

  it('does not change where files move or lines are added', () => {
    const moved = files.map(({ path, text }) => ({ path: `else/where/${path}`, text: `// A comment.\n\n${text}` }))
    expect(names(drawMutants(moved, 50, '1'))).toEqual(names(drawMutants(files, 50, '1')))
  })

  it('has two hundred of every folder, and tests for each', () => {
    for (const folder of mutantFolders) {
      expect(drawMutants(sourcesOf(folder, root), 200, '1')).toHaveLength(200)
      expect(testsOf(folder, root).length).toBeGreaterThan(0)
    }
  })
})

describe('the score', () => {
  const judged = [
    { name: 'a', state: 'killed' },
    { name: 'b', state: 'survived' },
    { name: 'c', state: 'not reached' },
    { name: 'd', state: 'killed' },
  ]

  it('leaves out equivalent mutants of its own folder', () => {
    const equivalents = [
      { folder: 'formula', mutant: 'b', reason: 'the same value' },
      { folder: 'metrics', mutant: 'c', reason: 'elsewhere' },
    ]
    const score = scoreOf('formula', judged, equivalents)
    expect(score.survivors.map(({ name }: { name: string }) => name)).toEqual(['c'])
    expect(scoreLine(score)).toBe('formula: 66.7 % killed: 2 of 4 mutants, 1 equivalent, 1 survived')
  })

  it('has a reason for every equivalent mutant', () => {
    const all = JSON.parse(readFileSync(`${root}scripts/mutants/equivalents.json`, 'utf8'))
    const folders = mutantFolders.map(({ name }) => name)
    for (const { folder, mutant, reason } of all) {
      expect(folders).toContain(folder)
      expect(mutant).toContain(' ⟶ ')
      expect(reason.length).toBeGreaterThan(20)
    }
  })
})

describe('equivalent mutants', () => {
  const listed = JSON.parse(readFileSync(`${root}scripts/mutants/equivalents.json`, 'utf8')) as {
    folder: string
    mutant: string
  }[]

  it.each(mutantFolders.map(({ name }) => name))('of %s are mutants of code that is still there', (folder) => {
    const found = mutantFolders.find(({ name }) => name === folder)!
    const names = new Set(drawMutants(sourcesOf(found, root), Infinity, 1).map(({ name }) => name))
    expect(listed.filter((each) => each.folder === folder && !names.has(each.mutant))).toEqual([])
  })
})
