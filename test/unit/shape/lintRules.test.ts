import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import vue from 'eslint-plugin-vue'
import { describe, expect, it } from 'vitest'
import { comments } from '../../../scripts/lint/comments.js'
import { language } from '../../../scripts/lint/language.js'

const rules = { 'language/names': 'error', 'language/phrases': 'error', 'comments/sentences': 'error' } as const
const plugins = { comments, language }

/** Lints a text with these rules alone and returns `line: message`. */
function lint(text: string, filename = 'shared/sample.ts'): string[] {
  const typescript = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, plugins, rules }
  const components = {
    files: ['**/*.vue'],
    languageOptions: {
      parser: vue.configs['flat/base'][1].languageOptions?.parser,
      parserOptions: { parser: tseslint.parser },
    },
    plugins,
    rules,
  }
  const found = new Linter().verify(text, [typescript, components] as Linter.Config[], { filename })
  return found.map(({ line, message }) => `${line}: ${message.slice(0, 40)}`)
}

describe('language/names', () => {
  it.each([
    'const words = 1',
    'const { a: words } = b',
    'function f(words: string) {}',
    'interface A {\n  words: string }',
    'type QueueParts = object',
    'class Holds {}',
    'const f = ([held]: number[]) => held',
  ])('refuses the declaration in %j', (text) => {
    expect(lint(text)).toEqual([expect.stringMatching(/is not a name we use|is not a name/)])
  })

  it.each([
    'f(other.words)',
    "import { words } from './a.ts'",
    'const a = { words }',
    'const { words } = problem',
    '// The file reads words, takeIn and holds.',
    'const keywords = 1',
  ])('accepts %j', (text) => {
    expect(lint(text)).toEqual([])
  })
})

describe('language/phrases', () => {
  it('refuses a phrase in a literal, a template and the text of a component', () => {
    expect(lint("say('Downloads stand still')")).toHaveLength(1)
    expect(lint('say(`${count} files came`)')).toHaveLength(1)
    expect(lint('<template>\n  <p>Downloads\n  stand still</p>\n</template>\n', 'renderer/A.vue')).toHaveLength(1)
  })

  it('accepts the same words in prose', () => {
    expect(lint('// Downloads stand still is what it said.\n')).toEqual([])
  })
})

describe('comments/sentences', () => {
  it('refuses what hangs in the air, and a noun phrase on a function', () => {
    expect(lint('// Of one value alone.\nstart()\n')).toHaveLength(1)
    expect(lint('/** Number of rows. */\nfunction rows() {}\n')).toHaveLength(1)
    expect(lint('/** Number of rows. */\nexport const rows = () => 1\n')).toHaveLength(1)
  })

  it.each([
    'The same without costs.',
    'By name.',
    'Null where none is used.',
    'Those of a list.',
    'At valid times.',
    'Not included.',
  ])('refuses “%s” on a field too, because it has neither a noun of its own nor a verb', (comment) => {
    expect(lint(`interface Row {\n  /** ${comment} */\n  rows: number | null\n}\n`)).toHaveLength(1)
  })

  it('accepts them on a field where they have a verb of their own', () => {
    expect(lint('interface Row {\n  /** At most three rows are kept. */\n  rows: number\n}\n')).toEqual([])
    expect(lint('interface Row {\n  /** Name of the row; null where none is used. */\n  name: string\n}\n')).toEqual([])
  })

  it('accepts whole sentences, and noun phrases on fields, constants and types', () => {
    const text = `
      /** A row of a table. */
      interface Row {
        /** Number of rows. */
        rows: number
      }
      /** Largest number of rows. */
      export const MOST_ROWS = 5
      // The table is closed, because nobody reads it
      // where it stands.
      close()
    `
    expect(lint(text)).toEqual([])
  })
})
