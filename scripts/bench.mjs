#!/usr/bin/env node
/**
 * Runs the benchmark lines of test/bench/*.bench.ts, alternating between Perpscope and its peer. `npm run bench -- NAME
 * …` measures only the lines whose name contains one of these texts; `--json` prints one object per line instead of the
 * table; `--list` prints only the names. The results are saved in bench-results.json, with the machine and the
 * versions. `--against DIR` measures the lines alternately here and in another checkout, and prints both medians and
 * their ratio; it saves nothing. `--compare OLD.json` names the lines that became slower than in earlier results.
 * `--peers` also compares with Python packages, which it installs. `--growth` instead measures the computing time at
 * several sizes of input, and writes a table and a picture of it.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compareCheckouts } from './bench/against.mjs'
import { measureGrowth } from './bench/growth.mjs'
import { describeMachine, loadNow } from './bench/machine.mjs'
import { installPythonPeers } from './bench/pythonPeers.mjs'
import { installPeerPackages } from './bench/peerPackages.mjs'
import {
  failedResult,
  judge,
  merge,
  publishedFields,
  slowerLines,
  tableFoot,
  tableHead,
  tableRow,
} from './bench/results.mjs'
import { at } from './project.mjs'

const resultsFile = at('bench-results.json')
const benchFolder = new URL('../test/bench/', import.meta.url)

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    list: { type: 'boolean' },
    only: { type: 'string' },
    against: { type: 'string' },
    compare: { type: 'string' },
    peers: { type: 'boolean' },
    growth: { type: 'boolean' },
  },
})
const wanted = [...positionals, ...(options.only ? [options.only] : [])].map((name) => name.toLowerCase())
const isWanted = ({ name, python }) =>
  (!python || options.peers) && (wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part)))

async function measure(line) {
  let task
  try {
    task = await line.prepare()
    const [ours, theirs] = [[], []]
    for (let round = 0; round < (task.rounds ?? 5); round++) {
      ours.push(await task.ours())
      if (task.peer) theirs.push(await task.peer())
    }
    return judge(line, ours, theirs)
  } catch (error) {
    return failedResult(line, error)
  } finally {
    await task?.close?.()
  }
}

function saveResults(results) {
  const old = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')).lines : []
  writeFileSync(resultsFile, `${JSON.stringify({ ...describeMachine(), lines: merge(old, results) }, null, 2)}\n`)
}

async function allLines() {
  const files = readdirSync(benchFolder).filter((name) => name.endsWith('.bench.ts'))
  const modules = await Promise.all(files.map((file) => import(new URL(file, benchFolder).href)))
  return modules.flatMap(({ benchLines }) => benchLines).filter(isWanted)
}

function tellSlower(slower, say) {
  say(slower.length === 0 ? 'No line became slower by more than its noise.' : 'Slower than before:')
  for (const { name, change, noise } of slower)
    say(`  ${name}: +${Math.round(change * 100)} % (noise ${Math.round(noise * 100)} %)`)
}

async function measureAllGrowth() {
  const { growths } = await import(new URL('growth.ts', benchFolder).href)
  const chosen = growths.filter(({ name }) => isWanted({ name }))
  await measureGrowth(chosen, (text) => console.log(text))
  return 0
}

async function bench() {
  const lines = await allLines()
  if (lines.length === 0) {
    console.error('No line has this name; “npm run bench -- --list” prints all names.')
    return 2
  }
  if (options.list) {
    for (const { name } of lines) console.log(name)
    return 0
  }
  const say = (text) => console.error(text)
  // The earlier lines are read first, because this run may rewrite their file.
  const earlier = options.compare ? JSON.parse(readFileSync(options.compare, 'utf8')).lines : null
  await installPeerPackages(lines, say)
  if (options.peers) await installPythonPeers(lines, say)
  if (options.against) return compareCheckouts(lines, options.against, options.json)
  if (!options.json) for (const line of tableHead()) console.log(line)
  const results = []
  for (const line of lines) {
    const load = loadNow()
    const result = { ...(await measure(line)), load, measuredAt: new Date().toISOString() }
    results.push(result)
    console.log(options.json ? JSON.stringify(publishedFields(result)) : tableRow(result))
    if (options.json && result.error) console.error(`${result.name}: ${result.error}`)
    // The results are saved after each line, so an interrupted run loses nothing.
    saveResults(results)
  }
  if (!options.json) console.log(tableFoot(results))
  if (earlier) tellSlower(slowerLines(earlier, results), say)
  return results.every(({ ok }) => ok !== false) ? 0 : 1
}

process.exitCode = options.growth ? await measureAllGrowth() : await bench()
// Peers leave threads and browsers running, which would otherwise keep this process alive.
process.exit()
