import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'
import { createTypedParser } from './scripts/lint/typedParser.js'
import { zones } from './scripts/lint/zones.js'

const placeMessage = (what, where) => `${what} belongs in ${where}: one place, so that its rules hold everywhere.`

/** Names that only one file may use; the message says which file and why. */
const fetchElsewhere = {
  selector: "CallExpression[callee.name='fetch']",
  message: placeMessage('fetch', 'electron/core/clients/http.ts'),
}
const openExternalElsewhere = {
  selector: "MemberExpression[property.name='openExternal']",
  message: placeMessage('openExternal', 'electron/main/security.ts'),
}

/** Parser with one program of every source, because programs per project take three times as long. */
const typedParser = createTypedParser(`${import.meta.dirname}/tsconfig.test.json`)

/**
 * Typed rules, because a promise that is not awaited hides failures. `no-unnecessary-condition` is off: its 85 findings were guards
 * against missing elements of arrays and matches, which the checker does not see.
 */
const typedRules = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/await-thenable': 'error',
}

export default tseslint.config(
  { ignores: ['out/**', 'dist/**', 'node_modules/**', 'test/artifacts/**'] },
  ...tseslint.configs.recommended,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: typedParser, project: true } },
    rules: {
      ...typedRules,
      'vue/no-v-html': 'error',
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
      // The formatter is responsible for layout.
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-indent': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/first-attribute-linebreak': 'off',
      'vue/attributes-order': 'off',
    },
  },
  {
    files: ['shared/**/*.ts', 'electron/**/*.ts', 'renderer/**/*.ts', 'test/**/*.ts'],
    languageOptions: { parser: typedParser, parserOptions: { project: true } },
    rules: typedRules,
  },
  {
    files: ['shared/**', 'electron/**', 'renderer/**'],
    plugins: { zones },
    rules: {
      'zones/imports': 'error',
      'no-restricted-syntax': ['error', fetchElsewhere, openExternalElsewhere],
      'no-eval': 'error',
      'no-new-func': 'error',
    },
  },
  { files: ['electron/core/clients/http.ts'], rules: { 'no-restricted-syntax': ['error', openExternalElsewhere] } },
  { files: ['electron/main/security.ts'], rules: { 'no-restricted-syntax': ['error', fetchElsewhere] } },
  {
    rules: {
      eqeqeq: 'error',
      'prefer-const': 'error',
      // The type checker already reports unused names, templates included.
      '@typescript-eslint/no-unused-vars': 'off',
      // TypeScript checks every name, and the rule does not know its globals.
      'no-undef': 'off',
    },
  },
)
