/**
 * Runs a mutation test of the named folders, or of all: it changes the sources by rules, one mutant at a time, runs the
 * tests against each mutant, and lists the survivors: `npm run test:mutants -- formula --count 50 --seed 2 --cores 1`.
 * `--json FILE` writes every mutant with its state. Once tests have been added, `--again FILE` judges only the mutants
 * that were not killed according to such a file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { drawMutants } from './mutants/draw.mjs'
import { mutantFolders, sourcesOf, testsOf } from './mutants/folders.mjs'
import { judgeMutants, surveyTests } from './mutants/judge.mjs'
import { LEAST_SCORE, scoreLine, scoreOf, survivorLines } from './mutants/report.mjs'
import { copyCheckout } from './mutants/workCopy.mjs'
import { at } from './project.mjs'

const say = (line) => console.log(line)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    cores: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    again: { type: 'string' },
  },
})

async function measureFolder(folder, checkout) {
  const startedAt = performance.now()
  const sources = sourcesOf(folder, checkout.folder)
  const drawnMutants = drawMutants(sources, Number(values.count), values.seed)
  const killedBefore = new Map(killedIn(values.again, folder.name).map((mutant) => [mutant.name, mutant]))
  const mutants = drawnMutants
    .map((mutant, id) => ({ ...mutant, id }))
    .filter(({ name }) => name.includes(values.only) && !killedBefore.has(name))
  say(`\n== ${folder.name}: ${mutants.length} mutants of ${sources.length} files`)
  const { found, broken } = await surveyTests(checkout, sources, mutants, testsOf(folder, checkout.folder))
  for (const { path, seconds } of found) say(`  ${seconds.toFixed(1)} s  ${path}`)
  for (const { path, why } of broken) say(`Not used, because it fails without any mutant: ${path} (${why})`)
  let done = 0
  const onJudged = (mutant) => {
    done++
    if (mutant.state !== 'killed') say(survivorLines([mutant])[0])
    if (done % 20 === 0) say(`${done} of ${mutants.length}`)
  }
  const judgedMutants = await judgeMutants(checkout, sources, mutants, found, { cores: Number(values.cores), onJudged })
  const known = drawnMutants.flatMap(({ name }) => killedBefore.get(name) ?? [])
  return { judged: [...judgedMutants, ...known], seconds: (performance.now() - startedAt) / 1000 }
}

/** Reads from the file of an earlier run which mutants of a folder were killed. */
function killedIn(file, folder) {
  if (!file) return []
  const mutants = JSON.parse(readFileSync(file, 'utf8'))
  return mutants.filter((mutant) => mutant.folder === folder && mutant.state === 'killed')
}

async function main() {
  const unknown = positionals.find((name) => !mutantFolders.some((folder) => folder.name === name))
  if (unknown) {
    say(`There is no folder “${unknown}”; there are ${mutantFolders.map(({ name }) => name).join(', ')}.`)
    return 2
  }
  const equivalents = JSON.parse(readFileSync(at('scripts', 'mutants', 'equivalents.json'), 'utf8'))
  const chosen = mutantFolders.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const checkout = copyCheckout()
  try {
    return await measureAll(chosen, checkout, equivalents)
  } finally {
    checkout.remove()
  }
}

async function measureAll(chosen, checkout, equivalents) {
  const scores = []
  const all = []
  for (const folder of chosen) {
    const { judged, seconds } = await measureFolder(folder, checkout)
    const score = scoreOf(folder.name, judged, equivalents)
    for (const line of survivorLines(score.survivors)) say(line)
    say(scoreLine(score, seconds))
    scores.push(score)
    all.push(...judged.map((mutant) => ({ folder: folder.name, ...mutant })))
    if (values.json) writeFileSync(values.json, JSON.stringify(all, null, 1))
  }
  say('')
  for (const score of scores) say(scoreLine(score))
  return scores.every(({ score }) => score >= LEAST_SCORE) ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
process.exitCode = await main()
