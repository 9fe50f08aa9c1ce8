/**
 * Runs everything that can run on this machine and says what could not and why. The last line has the counts over all parts.
 * `node scripts/test.mjs e2e` runs one part alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasKeytar } from './bootstrap/packages.mjs'
import { findChromium, findProgram, nodeProblem, projectNode } from './project.mjs'
import { add, exitStatusOf, lastLine, nothing, single, skippedLines } from './test/counts.mjs'
import { suites } from './test/suites.mjs'

const say = (line) => console.log(line)

function describeMachine() {
  say(`Node for the tests: ${projectNode()}`)
  say(`Chromium: ${findChromium() ?? 'none'}`)
  say(`Keychain binding: ${hasKeytar() ? 'built' : 'missing (libsecret-1-dev was not there when it was installed)'}`)
  const keyring = findProgram(['gnome-keyring-daemon']) && findProgram(['dbus-run-session'])
  say(
    `Keychain for the tests: ${keyring ? 'gnome-keyring in a D-Bus session of its own' : 'none (needs gnome-keyring and dbus)'}`,
  )
}

async function runPart({ name, run }, runFolder) {
  const startedAt = performance.now()
  const result = await Promise.resolve(run(runFolder)).catch((error) => single(`${name}: ${error.message}`, false))
  return { result, seconds: (performance.now() - startedAt) / 1000 }
}

/** One after the other, but the early ones beside those before them. */
async function runSuites(chosen, runFolder) {
  let counts = nothing
  const early = new Map(chosen.filter(({ isEarly }) => isEarly).map((suite) => [suite, runPart(suite, runFolder)]))
  for (const suite of chosen) {
    const { name, obstacle } = suite
    const reason = obstacle?.()
    if (reason) {
      say(`\nNot run: ${name}: ${reason}.`)
      continue
    }
    say(`\n== ${name}`)
    const { result, seconds } = await (early.get(suite) ?? runPart(suite, runFolder))
    if (result.output) say(result.output)
    say(`${name}: ${lastLine(result)} (${seconds.toFixed(1)} s)`)
    counts = add(counts, result)
  }
  return counts
}

async function main(names) {
  const unknown = names.find((name) => suites.every((suite) => suite.name !== name))
  const problem = projectNode() === process.execPath ? nodeProblem() : null
  if (unknown) say(`There is no part “${unknown}”; there are ${suites.map(({ name }) => name).join(', ')}.`)
  if (problem) say(problem)
  if (unknown || problem) return 2
  describeMachine()
  const runFolder = mkdtempSync(join(tmpdir(), 'perpscope-run-'))
  const chosen = names.length > 0 ? suites.filter(({ name }) => names.includes(name)) : suites
  const counts = await runSuites(chosen, runFolder).finally(() => rmSync(runFolder, { recursive: true, force: true }))
  say('')
  for (const line of skippedLines(counts.skipped)) say(line)
  for (const name of counts.failures) say(`Failed: ${name}`)
  say(lastLine(counts))
  return exitStatusOf(counts)
}

process.exitCode = await main(process.argv.slice(2))
