import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ESLint, Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import vue from 'eslint-plugin-vue'
import { expect, it } from 'vitest'
import { createTypedParser } from '../../../scripts/lint/typedParser.js'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const component = (script: string) => `<script setup lang="ts">
import { save } from './save.ts'

${script}
</script>

<template>
  <button @click="save">{{ String(save).length }}</button>
</template>

<script lang="ts">
export const name = 'A'
</script>
`

/** Lints a component beside `save.ts`, whose function returns a promise, and returns `line: rule`. */
function lint(script: string, textOfLinter = component(script)): string[] {
  const folder = temporaryFolder()
  const file = join(folder, 'A.vue')
  writeFileSync(join(folder, 'save.ts'), 'export const save = async (): Promise<void> => {}\n')
  writeFileSync(file, component(script))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, allowImportingTsExtensions: true, noEmit: true, types: [] } }),
  )
  const typedParser = createTypedParser(join(folder, 'tsconfig.json'))
  const config = {
    files: ['**/*.vue'],
    languageOptions: {
      parser: vue.configs['flat/base'][1].languageOptions?.parser,
      parserOptions: { parser: typedParser, project: true },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: { '@typescript-eslint/no-floating-promises': 'error', '@typescript-eslint/no-misused-promises': 'error' },
  }
  const linter = new Linter({ cwd: folder })
  const found = linter.verify(textOfLinter, [config] as Linter.Config[], { filename: file })
  return found.map(({ line, ruleId, message }) => `${line}: ${ruleId ?? message}`)
}

it('finds a promise that a component drops, or passes where nothing waits for it', () => {
  expect(lint('save()\nconst run: () => void = save\nvoid save()\nawait save()\nrun()')).toEqual([
    '4: @typescript-eslint/no-floating-promises',
    '5: @typescript-eslint/no-misused-promises',
  ])
  expect(lint('void save()')).toEqual([])
})

it('takes the text that it is given, which an editor has not saved yet', () => {
  expect(lint('void save()', component('\n\nsave()'))).toEqual(['6: @typescript-eslint/no-floating-promises'])
})

it('covers the components of the window', async () => {
  const config = (await new ESLint().calculateConfigForFile('renderer/App.vue')) as Linter.Config
  for (const rule of ['no-floating-promises', 'no-misused-promises', 'await-thenable'])
    expect(config.rules?.[`@typescript-eslint/${rule}`]).toMatchObject([2])
})
