/**
 * Folders that the mutation test measures, each with the tests that should notice a mistake in it. A path that does not
 * exist is skipped, so a renamed folder can be listed under both names.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const mutantFolders = [
  {
    name: 'downloads',
    sources: ['electron/core/downloads'],
    // The integration tests start processes and would take minutes for a single mutant, so only these tests run.
    tests: ['test/unit/downloads', 'test/unit/guard/budgets.test.ts'],
  },
  {
    name: 'parquet',
    sources: ['electron/core/parquet'],
    // `hostileFiles.test.ts` is left out, because it compresses 1.5 GB before its first test.
    tests: [
      'test/unit/parquet/checkValues.test.ts',
      'test/unit/parquet/columnPages.test.ts',
      'test/unit/parquet/dictionaryPages.test.ts',
      'test/unit/parquet/fixtures.test.ts',
      'test/unit/parquet/footerRowGroups.test.ts',
      'test/unit/parquet/hyparquetInternals.test.ts',
      'test/unit/parquet/pageHeader.test.ts',
      'test/unit/parquet/parquet.test.ts',
      'test/unit/parquet/refusals.test.ts',
      'test/unit/parquet/unusualFiles.test.ts',
    ],
  },
  {
    name: 'metrics',
    sources: ['shared/metrics'],
    // `engineMistakes.test.ts` is left out: it takes a minute, and it tests the engines' SQL rather than the metrics.
    tests: [
      'test/unit/metrics',
      'test/conformance/engines.test.ts',
      'test/conformance/metrics.test.ts',
      'test/conformance/resampling.test.ts',
      'test/integration/secondOpinion.test.ts',
    ],
  },
  { name: 'formula', sources: ['shared/formula'], tests: ['test/unit/formula'] },
  { name: 'portfolio', sources: ['shared/portfolio'], tests: ['test/unit/portfolio'] },
]

function* filesBelow(root, path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (statSync(full).isFile()) return yield path
  for (const name of readdirSync(full).sort()) yield* filesBelow(root, `${path}/${name}`)
}

const filesBelowAll = (root, paths) => paths.flatMap((path) => [...filesBelow(root, path)])

/**
 * Returns the sources of a folder with their text.
 * @returns {{ path: string, text: string }[]}
 */
export const sourcesOf = ({ sources }, root) =>
  filesBelowAll(root, sources)
    .filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Lists the test files of a folder. */
export const testsOf = ({ tests }, root) => filesBelowAll(root, tests).filter((path) => path.endsWith('.test.ts'))
