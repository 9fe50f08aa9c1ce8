/**
 * Installs the peers, third-party programs such as Polars or Spark, outside the clone, and runs the tests that compare
 * our results with theirs. The last line says how many comparisons ran, and why others could not.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPeers } from './peers/install.mjs'
import { peersLine } from './peers/report.mjs'
import { nodeProblem, projectNode } from './project.mjs'
import { runVitest } from './test/vitest.mjs'

const say = (line) => console.log(line)

async function main(paths) {
  const problem = projectNode() === process.execPath ? nodeProblem() : null
  if (problem) {
    say(problem)
    return 2
  }
  const peers = await installPeers(say)
  const runFolder = mkdtempSync(join(tmpdir(), 'perpscope-peers-'))
  try {
    process.env.PERPSCOPE_PEERS = join(runFolder, 'peers.json')
    writeFileSync(process.env.PERPSCOPE_PEERS, JSON.stringify(peers))
    const counts = await runVitest('peers', ['--project', 'peers', ...paths], runFolder)
    for (const name of counts.failures) say(`Failed: ${name}`)
    say(peersLine(counts))
    return counts.failed > 0 || counts.passed === 0 ? 1 : 0
  } finally {
    rmSync(runFolder, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
