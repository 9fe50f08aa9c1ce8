/**
 * `npm run shape` prints figures about the sources: sizes of files and functions, tiny files with one importer,
 * comments, names. `npm run shape -- --list comments|fragments|functions|files|words|duplicates [PATH]` lists what
 * breaks a rule, only below PATH if it is given. `npm run shape -- --tighten` lowers the limits for these figures,
 * which the tests enforce.
 */
import { parseArgs } from 'node:util'
import { budgetedFigures, tightenBudgets } from './shape/budgets.mjs'
import { allFacts } from './shape/cache.mjs'
import { appDuplicates, SHARED_LINES } from './shape/duplicates.mjs'
import { derivedFlows } from './shape/flowsText.mjs'
import { definitions, LONGEST_FUNCTION, measure, TINY_FUNCTION, USUAL_FUNCTION } from './shape/measure.mjs'

const lists = {
  comments: ({ hanging, phrases }) => [
    ...hanging.map((item) => ({ ...item, note: `hangs: ${item.text}` })),
    ...phrases.map((item) => ({ ...item, note: `noun phrase: ${item.text}` })),
  ],
  fragments: ({ fragments, components }) =>
    [...fragments, ...components].map((item) => ({ ...item, note: `${item.lines} lines, only for ${item.importer}` })),
  functions: ({ longFunctions }) =>
    longFunctions.map((item) => ({ ...item, note: `${item.name} has ${item.lines} lines` })),
  files: ({ longFiles }) => longFiles.map((item) => ({ ...item, note: `${item.lines} lines` })),
  duplicates: ({ duplicates }) => duplicates.map((item) => ({ ...item, note: `as ${item.other}` })),
  words: ({ forbidden }) => forbidden.map((item) => ({ ...item, note: `${item.term} → ${item.say}` })),
}

const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`

function summary(shape) {
  const {
    files,
    fragments,
    components,
    functions,
    functionsNotTiny,
    longFunctions,
    comments,
    hanging,
    phrases,
    forbidden,
    longFiles,
    duplicates,
  } = shape
  const tooLong = longFunctions.filter(({ lines }) => lines > LONGEST_FUNCTION)
  return [
    `Files: ${files.count} in shared, electron and renderer, median ${files.medianLines} lines; ${files.scripts} in scripts; ${longFiles.length} over 500 lines`,
    `Fragments: ${fragments.length} (${share(fragments.length, files.count)}), with components ${fragments.length + components.length} (${share(fragments.length + components.length, files.count)})`,
    `Functions: ${functions}; of the ${functionsNotTiny} with more than ${TINY_FUNCTION} lines ${share(functionsNotTiny - longFunctions.length, functionsNotTiny)} have at most ${USUAL_FUNCTION} (${longFunctions.length} have more); ${tooLong.length} over ${LONGEST_FUNCTION} lines`,
    ...tooLong.map(({ path, line, name, lines }) => `  ${path}:${line} ${name}: ${lines}`),
    `Comments: ${comments}, ${hanging.length} (${share(hanging.length, comments)}) hang in the air; ${phrases.length} noun phrases on functions`,
    `Names and phrases we no longer use: ${forbidden.length}`,
    `Pairs of places that share ${SHARED_LINES} lines or more: ${duplicates.length}`,
    '',
    ...Object.entries(definitions).map(([name, text]) => `${name}: ${text}.`),
  ]
}

function main() {
  const options = { list: { type: 'string' }, json: { type: 'boolean' }, tighten: { type: 'boolean' } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const below = (positionals[0] ?? '').replace(/^\.\/|\/$/g, '')
  const shape = { ...measure(allFacts()), duplicates: appDuplicates() }
  if (values.tighten) {
    const flows = derivedFlows().map(({ key, files }) => [key, files.length])
    console.log(tightenBudgets(budgetedFigures(shape), Object.fromEntries(flows)))
    return 0
  }
  if (values.list === undefined) {
    console.log(values.json ? JSON.stringify({ ...shape, definitions }, null, 2) : summary(shape).join('\n'))
    return 0
  }
  const list = lists[values.list]
  if (!list) {
    console.error(`--list takes one of ${Object.keys(lists).join(', ')}.`)
    return 2
  }
  const isBelow = ({ path }) => below === '' || path === below || path.startsWith(`${below}/`)
  const found = list(shape).filter(isBelow)
  if (values.json) console.log(JSON.stringify(found, null, 2))
  else for (const { path, line, note } of found) console.log(`${path}:${line}: ${note}`)
  if (!values.json) console.log(`${found.length} in all`)
  return 0
}

process.exitCode = main()
