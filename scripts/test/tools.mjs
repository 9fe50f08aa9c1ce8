/** Programs of the packages that check the sources, as paths below node_modules with their arguments. */

const eslint = ['eslint', 'bin', 'eslint.js']
const strict = ['--max-warnings', '0']
const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/']

export const lintAfresh = { script: eslint, args: ['.', ...strict], env: { PERPSCOPE_LINT_ALL: '1' } }

/** Lints only what has changed since the last run. A change of a type that reaches other files needs a fresh run. */
export const lintChanges = (paths = ['.']) => ({
  script: eslint,
  args: [...paths, ...strict, ...cache, '--no-warn-ignored'],
})

export const checkFormat = (paths = ['.']) => ({
  script: ['oxfmt', 'bin', 'oxfmt'],
  args: ['--check', '--no-error-on-unmatched-pattern', ...paths],
})

/** Checks the types of all projects, or of one; TypeScript checks again only what a change concerns. */
export const checkTypes = (project = 'tsconfig.json') => ({
  script: ['vue-tsc', 'bin', 'vue-tsc.js'],
  args: ['--build', project, '--pretty'],
})
