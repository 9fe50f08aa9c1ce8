/** Computes the figures of `npm run shape`, each with the places behind it. */
import { readFileSync, statSync } from 'node:fs'
import ts from 'typescript'
import { importTableText } from '../lint/importTableText.js'
import { at } from '../project.mjs'
import { findDuplicates, SHARED_LINES } from './duplicates.mjs'
import { namesOfSeveralFiles, unusedExports } from './exports.mjs'
import { reachedFiles } from './reach.mjs'
import { parseSource, sourcePaths } from './sources.mjs'

const APP_FOLDERS = ['shared', 'electron', 'renderer']
const DOCUMENTS = ['CHANGELOG.md', 'BENCHMARKS.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/FLOWS.md']

/** Rooms in which a result of the Lab or a tear sheet becomes rows. */
const ROOMS_OF_RESULTS = /^(electron\/core|shared\/(sheet|lab|portfolio|contract))\//
const RESULT_TYPES = /\b(StudyResult|PortfolioResult|HorizonResult|LabResult|TearSheet|TearSheetDocument)\b/
const ROW_BUILDERS = /\btableLines\(|\bTableColumn\b|\b(number|text|time)Column\(|<td\b|\b(rows|columns|cells):|\.map\(/
const ROOM_OF_TABLES = /^(renderer\/tables|shared\/sheet)\//
const COLUMNS_BY_HAND = /\bTableColumn(\[\])? =|\): TableColumn/
const RESULT_NAME = /^(result|study|test)$/i

/** Injection cannot be followed, so the command and the service of the Lab are both starting points. */
const STUDY_RUN = [
  { file: 'electron/cli/commands/study.ts', from: 'run' },
  { file: 'electron/core/lab/studyService.ts', from: 'run' },
]

const linesOf = (sources) => sources.reduce((sum, { lines }) => sum + lines, 0)

const filesWith = (sources, pattern) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => ({ path, note: '' }))

const usesLab = ({ path, imports }) => /\blab\b/.test([path, ...imports].join(' '))

/** Lists where the kind of a study or its result is told by a key it has: `'horizons' in result`. */
function duckTypings(source) {
  if (!usesLab(source)) return []
  const found = []
  const visit = (node) => {
    const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword
    if (isIn && ts.isStringLiteral(node.left) && RESULT_NAME.test(node.right.getText(source.tree).split('.').at(-1)))
      found.push({ path: source.path, note: node.getText(source.tree) })
    ts.forEachChild(node, visit)
  }
  visit(source.tree)
  return found
}

const coreImports = ({ path, imports }) =>
  imports
    .filter((target) => /^electron\/core\/(?!app\.ts$|ports\/)/.test(target))
    .map((target) => ({ path, note: target }))

const documentLines = (names) =>
  names.map((path) => ({ path, note: `${(statSync(at(path)).size / 1000).toFixed(1)} KB` }))
const kilobytes = (names) => Math.round(names.reduce((sum, path) => sum + statSync(at(path)).size, 0) / 1000)

/** Returns the figures in the order in which they are printed; `places` are what `--list` shows. */
export function shapeFigures() {
  const parse = (path) => parseSource(path, readFileSync(at(path), 'utf8'))
  const app = sourcePaths(APP_FOLDERS).map(parse)
  const scripts = sourcePaths(['scripts']).map(parse)
  const commandLine = app.filter(({ path }) => path.startsWith('electron/cli/'))
  const figure = (key, text, places, value = places.length) => ({ key, text, value, places })
  const buildsRows = ({ path, text }) =>
    !ROOMS_OF_RESULTS.test(path) && RESULT_TYPES.test(text) && ROW_BUILDERS.test(text)
  const outsideTables = app.filter(({ path }) => !ROOM_OF_TABLES.test(path))
  const everything = [...app, ...scripts, ...sourcePaths(['test']).map(parse)]
  return [
    figure('source', 'lines of source in shared, electron and renderer', [], linesOf(app)),
    figure('scripts', 'lines in scripts', [], linesOf(scripts)),
    figure(
      'rows',
      'files outside the shared rooms that make rows of a result of the Lab or a tear sheet',
      app.filter(buildsRows).map(({ path }) => ({ path, note: '' })),
    ),
    figure('tableLines', 'files with tableLines(', filesWith(app, /\btableLines\(/)),
    figure(
      'columns',
      'files outside the rooms of tables that declare columns by hand',
      filesWith(outsideTables, COLUMNS_BY_HAND),
    ),
    figure('duckTyping', 'places that tell the kind of a result by a key it has', app.flatMap(duckTypings)),
    figure(
      'coreImports',
      'imports of #core by the command line, beyond app and ports',
      commandLine.flatMap(coreImports),
    ),
    figure('sameNames', 'names that two files export', namesOfSeveralFiles(app)),
    figure('unusedExports', 'exports that no other file uses', unusedExports(app, everything)),
    figure(
      'studyRun',
      'files that “study run” reaches',
      reachedFiles(STUDY_RUN).map((path) => ({ path, note: '' })),
    ),
    figure('importTable', 'rows of the import table', [], importTableText().split('\n').length - 2),
    figure(
      'documents',
      `KB of ${DOCUMENTS.slice(0, 3).join(', ')}`,
      documentLines(DOCUMENTS.slice(0, 3)),
      kilobytes(DOCUMENTS.slice(0, 3)),
    ),
    figure(
      'allDocuments',
      `KB of these with ${DOCUMENTS.slice(3).join(' and ')}`,
      documentLines(DOCUMENTS),
      kilobytes(DOCUMENTS),
    ),
    figure(
      'duplicates',
      `pairs of places that share ${SHARED_LINES} lines or more but for names, texts and numbers`,
      findDuplicates(app).map(({ path, line, other }) => ({ path: `${path}:${line}`, note: `as ${other}` })),
    ),
  ]
}
