#!/usr/bin/env node
/** Runs test/bench/*.bench.ts. `--only NAME`: lines whose name starts so; `--json`: one object a line. */
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } })
const folder = new URL('../test/bench/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.bench.ts'))

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const rounded = (value) => (value === null ? null : Number(value.toPrecision(4)))

function judge({ name, unit, rule, budget, peerName }, ours, peer) {
  const ratio = peer === null ? null : ours / peer
  const measured = rule === 'value' ? ours : ratio
  const ok = rule === 'atLeast' ? measured >= budget : measured <= budget
  return { name, unit, ours: rounded(ours), peer: rounded(peer), peerName, ratio: rounded(ratio), budget, ok }
}

async function run(line) {
  const { ours, peer, rounds = 5, close } = await line.prepare()
  const mine = []
  const theirs = []
  for (let round = 0; round < rounds; round++) {
    mine.push(await ours())
    if (peer) theirs.push(await peer())
  }
  await close?.()
  return judge(line, median(mine), peer ? median(theirs) : null)
}

function print(result) {
  if (options.json) return console.log(JSON.stringify(result))
  const { name, unit, ours, peer, peerName, ratio, budget, ok } = result
  const against = peer === null ? '' : ` · ${peerName} ${peer} · ratio ${ratio}`
  console.log(`${ok ? 'ok  ' : 'OVER'} ${name}: ${ours} ${unit}${against} · budget ${budget}`)
}

let allOk = true
for (const file of files) {
  const { benchLines } = await import(new URL(file, folder).href)
  for (const line of benchLines) {
    if (options.only && !line.name.startsWith(options.only)) continue
    const result = await run(line)
    allOk &&= result.ok
    print(result)
  }
}
process.exitCode = allOk ? 0 : 1
