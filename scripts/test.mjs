/**
 * Runs all parts of the tests that can run on this machine, and says which could not and why. The last line has the
 * counts of all parts. `node scripts/test.mjs e2e` runs a single part; `--quick` runs the tests that every commit must
 * pass.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasKeytar } from './bootstrap/packages.mjs'
import { findChromium, findProgram, nodeProblem, projectNode } from './project.mjs'
import { addCounts, exitStatusOf, lastLine, noTests, secondsLine, countsOfOne, skippedLines } from './test/counts.mjs'
import { startLimited } from './test/shards.mjs'
import { parts, partsOfQuickRun } from './test/parts.mjs'

const say = (line) => console.log(line)

function printMachine() {
  say(`Node for the tests: ${projectNode()}`)
  say(`Chromium: ${findChromium() ?? 'none'}`)
  say(`Keychain binding: ${hasKeytar() ? 'built' : 'missing (libsecret-1-dev was missing when it was installed)'}`)
  const keyring = findProgram(['gnome-keyring-daemon']) && findProgram(['dbus-run-session'])
  say(
    `Keychain for the tests: ${keyring ? 'gnome-keyring in a D-Bus session of its own' : 'none (needs gnome-keyring and dbus)'}`,
  )
}

async function runPart({ name, run }, runFolder) {
  const startedAt = performance.now()
  const result = await Promise.resolve(run(runFolder)).catch((error) => countsOfOne(`${name}: ${error.message}`, false))
  return { result, seconds: (performance.now() - startedAt) / 1000 }
}

/**
 * Starts the early parts, and returns a function that returns the run of a part. If the part has not started yet, the
 * function starts it, and with it the other parts of its lane if they may run in parallel.
 */
function createStarter(chosen, runFolder) {
  const started = new Map()
  const startAll = (batch, limit) => {
    const runs = startLimited(
      batch.map((part) => () => runPart(part, runFolder)),
      limit,
    )
    for (const [index, part] of batch.entries()) started.set(part, runs[index])
  }
  const isBlocked = ({ obstacle }) => Boolean(obstacle?.())
  startAll(
    chosen.filter(({ isEarly }) => isEarly),
    Infinity,
  )
  return (part) => {
    const { lane } = part
    // In a lane with limit 1 each part starts only after the previous one has been reported, so that its output appears
    // under its own name.
    const batch = lane?.limit > 1 ? chosen.filter((other) => other.lane === lane && !isBlocked(other)) : [part]
    if (!started.has(part)) startAll(batch, lane?.limit ?? 1)
    return started.get(part)
  }
}

function reportPart({ name, showsFolders }, result, seconds) {
  if (result.output) say(result.output)
  say(`${name}: ${lastLine(result)} (${seconds.toFixed(1)} s)`)
  if (showsFolders && result.folders) say(`Seconds by folder, files in parallel: ${secondsLine(result.folders)}`)
}

/** Runs the parts and reports them in their order. @returns the total counts, and the seconds of each part */
async function runChosen(chosen, runFolder) {
  let counts = noTests
  const durations = []
  const start = createStarter(chosen, runFolder)
  for (const part of chosen) {
    const reason = part.obstacle?.()
    if (reason) {
      say(`\nNot run: ${part.name}: ${reason}.`)
      continue
    }
    say(`\n== ${part.name}`)
    const { result, seconds } = await start(part)
    reportPart(part, result, seconds)
    durations.push([part.name, seconds])
    counts = addCounts(counts, result)
  }
  return { counts, durations }
}

const isNamed = (part, name) => part.name === name || part.group === name

async function main(args) {
  const isQuick = args[0] === '--quick'
  const all = isQuick ? partsOfQuickRun : parts
  const names = isQuick ? args.slice(1) : args
  const unknown = names.find((name) => !all.some((part) => isNamed(part, name)))
  const problem = projectNode() === process.execPath ? nodeProblem() : null
  const partNames = [...new Set(all.map(({ name, group }) => group ?? name))]
  if (unknown) say(`There is no part “${unknown}”; there are ${partNames.join(', ')}.`)
  if (problem) say(problem)
  if (unknown || problem) return 2
  if (!isQuick) printMachine()
  const startedAt = performance.now()
  const runFolder = mkdtempSync(join(tmpdir(), 'perpscope-run-'))
  const chosen = names.length > 0 ? all.filter((part) => names.some((name) => isNamed(part, name))) : all
  const { counts, durations } = await runChosen(chosen, runFolder).finally(() =>
    rmSync(runFolder, { recursive: true, force: true }),
  )
  say('')
  for (const line of skippedLines(counts.skipped)) say(line)
  for (const name of counts.secondTries) say(`Passed on its second try: ${name}`)
  for (const name of counts.failures) say(`Failed: ${name}`)
  say(`Seconds: ${secondsLine([...durations, ['all', (performance.now() - startedAt) / 1000]])}`)
  say(lastLine(counts))
  return exitStatusOf(counts)
}

process.exitCode = await main(process.argv.slice(2))
