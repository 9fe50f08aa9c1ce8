import { describe, expect, it } from 'vitest'
import { judgeComment } from '../../../scripts/lint/comments.js'
import { insteadOfName, phrasesIn } from '../../../scripts/lint/language.js'
import { findDuplicates } from '../../../scripts/shape/duplicates.mjs'
import { factsOf } from '../../../scripts/shape/facts.mjs'
import { measure } from '../../../scripts/shape/measure.mjs'
import { parseSource } from '../../../scripts/shape/sources.mjs'

const factsOfText = (path: string, text: string) => factsOf(parseSource(path, text))

describe('fragments', () => {
  const file = (path: string, text: string) => factsOfText(path, text)
  const short = 'export const one = 1\n'

  it('are short files that only a neighbour imports', () => {
    const { fragments } = measure([
      file('shared/a/lone.ts', short),
      file('shared/a/user.ts', "import { one } from './lone.ts'\nexport const two = one + one\n"),
      file('shared/a/shared.ts', short),
      file('shared/a/first.ts', "import { one } from './shared.ts'\n"),
      file('shared/b/second.ts', "import type { one } from '../a/shared.ts'\n"),
      file('shared/b/long.ts', short.repeat(70)),
      file('shared/b/third.ts', "import './long.ts'\n"),
    ])
    expect(fragments.map(({ path }: { path: string }) => path)).toEqual(['shared/a/lone.ts'])
  })

  it('may be imported by a component, and components of that kind are counted separately', () => {
    const { fragments, components } = measure([
      file(
        'renderer/a/Page.vue',
        "<script setup lang=\"ts\">\nimport Row from './Row.vue'\nimport { one } from './one.ts'\n</script>\n",
      ),
      file('renderer/a/Row.vue', '<template><p /></template>\n'),
      file('renderer/a/one.ts', short),
    ])
    expect(fragments.map(({ path }: { path: string }) => path)).toEqual(['renderer/a/one.ts'])
    expect(components.map(({ path }: { path: string }) => path)).toEqual(['renderer/a/Row.vue'])
  })
})

describe('functions', () => {
  it('are measured from their first line to their last, closures and methods included', () => {
    const text = '\nfunction outer() {\n  return {\n    inner: () => {\n      return 1\n    },\n  }\n}\n'
    expect(factsOfText('shared/a.ts', text).functions).toEqual([
      { name: 'outer', line: 2, lines: 7 },
      { name: 'inner', line: 4, lines: 3 },
    ])
  })

  it('stand on the lines of the whole component, whose script is none', () => {
    const text = '<template><p /></template>\n<script setup lang="ts">\nconst one = () => 1\n</script>\n'
    expect(factsOfText('renderer/A.vue', text).functions).toEqual([{ name: 'one', line: 3, lines: 1 }])
  })
})

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

describe('comments', () => {
  it.each([
    'Of one value alone: a hundredth of it.',
    'Which files are there.',
    'How long a request may take.',
    'It may have been removed since.',
    'This is why it waits.',
    'In the order in which the categories first appear.',
  ])('hang in the air: %s', (text) => {
    expect(judgeComment(text, false)).toBe('hangs')
  })

  it.each([
    'A constant series gets an axis of ±1 % around its value.',
    'fsync forces a journal commit, so we batch files per sync.',
    'Returns the rows of the visible range.',
    'Reads a file in pieces.',
    '`asOf` becomes `as-of`.',
    'Jobs wait in the order of their days.',
    '@param onRows is told after each piece',
    'eslint-disable-next-line',
  ])('are whole sentences: %s', (text) => {
    expect(judgeComment(text, false)).toBeNull()
  })

  it('may be a noun phrase on a field, but not on a function', () => {
    expect(judgeComment('Number of rows in the visible range.', true)).toBeNull()
    expect(judgeComment('Number of rows in the visible range.', false)).toBe('phrase')
    const text =
      'interface A {\n  /** Number of rows. */\n  rows: number\n}\n/** Number of rows. */\nfunction rows() {}\n'
    expect(factsOfText('shared/a.ts', text).faults).toEqual([{ fault: 'phrase', line: 5, text: 'Number of rows.' }])
  })

  it('on lines below each other are one', () => {
    const { comments, faults } = factsOfText('shared/a.ts', '// The file is closed,\n// where it is.\nclose()\n')
    expect({ comments, faults }).toEqual({ comments: 1, faults: [] })
  })
})

describe('names and phrases', () => {
  it('are forbidden by a list, and by endings with their exceptions', () => {
    expect(insteadOfName('takeIn')).toBe('import, commit, downloaded')
    expect(insteadOfName('failureWords')).toBe('message, label or text')
    expect(insteadOfName('QueueParts')).toBe('…Deps for injected things')
    expect(['formatToParts', 'keywords', 'parts', 'spanish', 'download'].map((name) => insteadOfName(name))).toEqual(
      Array(5).fill(null),
    )
  })

  it('are found where they are declared or said, never in comments', () => {
    const text = `// words, takeIn, files came\nconst words = other.words\nsay(\`\${n} files came\`, 'words')\n`
    expect(factsOfText('shared/a.ts', text).forbidden).toEqual([
      { line: 2, term: 'words', say: 'message, label or text' },
      { line: 3, term: 'files came', say: 'files downloaded' },
    ])
  })

  it('are found in templates of components', () => {
    const text = '<template>\n  <p>Downloads\n    stand still</p>\n</template>\n'
    expect(phrasesIn('Downloads stand still')).toHaveLength(1)
    expect(factsOfText('renderer/A.vue', text).forbidden).toEqual([
      { line: 2, term: 'Downloads stand still', say: 'Downloads paused' },
    ])
  })
})
