import { describe, expect, it } from 'vitest'
import { findDuplicates } from '../../../scripts/shape/duplicates.mjs'
import { namesOfSeveralFiles, unusedExports } from '../../../scripts/shape/exports.mjs'
import { parseSource } from '../../../scripts/shape/sources.mjs'

describe('duplicates', () => {
  const loop = (name: string, from: number) =>
    [
      'let sum = N',
      'for (const each of NAME) {',
      'if (each > N) continue',
      'sum += each',
      'count.NAME = sum',
      'found.push(each)',
      'return sum',
    ]
      .join('\n')
      .replaceAll('NAME', name)
      .replaceAll('N', String(from))

  it('are runs of six lines that differ in names, texts and numbers only', () => {
    const sources = [
      { path: 'shared/a.ts', text: `const before = 1\n${loop('rows', 1)}` },
      { path: 'shared/b.ts', text: `// A remark.\n${loop('columns', 20)}` },
    ]
    expect(findDuplicates(sources)).toEqual([{ path: 'shared/a.ts', line: 2, other: 'shared/b.ts:2' }])
  })

  it('are none where a line has another shape, or where little but punctuation is the same', () => {
    const other = loop('columns', 2).replace('sum += each', 'sum -= each')
    const thin = '{ a },\n'.repeat(6)
    expect(
      findDuplicates([
        { path: 'a.ts', text: loop('rows', 1) },
        { path: 'b.ts', text: other },
      ]),
    ).toEqual([])
    expect(
      findDuplicates([
        { path: 'a.ts', text: thin },
        { path: 'b.ts', text: thin },
      ]),
    ).toEqual([])
  })
})

describe('exports', () => {
  const first = parseSource(
    'shared/first.ts',
    'export const one = 1\nexport interface Two {}\nexport function three() {}\n',
  )
  const second = parseSource('shared/second.ts', 'export const [one, four] = [1, 4]\n')
  const page = parseSource(
    'renderer/Page.vue',
    `<script setup lang="ts">\nimport { one as first } from '#shared/first.ts'\n</script>\n`,
  )
  const test = parseSource('test/first.test.ts', "import type { Two } from '../shared/first.ts'\n")

  it('are unused if no other file takes them, a component or a test among them', () => {
    const found = unusedExports([first, second], [first, second, page, test])
    expect(found.map(({ path, note }: { path: string; note: string }) => `${path} ${note}`)).toEqual([
      'shared/first.ts three',
      'shared/second.ts one',
      'shared/second.ts four',
    ])
  })

  it('are all used where a module is loaded whole', () => {
    const whole = parseSource('renderer/main.ts', "const loaded = import('#shared/second.ts')\n")
    expect(unusedExports([second], [second, whole])).toEqual([])
  })

  it('are counted where two files have the same name', () => {
    expect(namesOfSeveralFiles([first, second])).toEqual([
      { path: 'shared/first.ts', note: 'one, also in shared/second.ts' },
    ])
  })
})
