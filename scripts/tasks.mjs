/**
 * Does what a person does in the built app, with real mouse and keys in Chromium on the built-in sandbox, and prints the
 * clicks, keys and steps of each task beside its goal, and the longest time for which the window's thread worked without
 * a break. It judges nothing: a task that cannot be done says why, and the exit status is 0. `--slowest N` also prints the slowest interactions, with the time that scripts took in each; `--minutes N` goes on with everyday work and prints the memory of the window
 * after each round.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { at } from './project.mjs'
import { tasksDuring } from './tasks/mainThread.mjs'
import { Person } from './tasks/person.mjs'
import { repeat } from './tasks/rounds.mjs'
import { tasks } from './tasks/tasks.mjs'

const { values: options } = parseArgs({
  options: { slowest: { type: 'string', default: '0' }, minutes: { type: 'string', default: '0' } },
})
const STEP_TIMEOUT_MS = 30_000
/** Where a task that was not done leaves what it saw. */
const pictures = at('test', 'artifacts', 'tasks')
const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-tasks-'))
const cli = new URL('cli.mjs', import.meta.url).pathname
const server = spawn(process.execPath, [cli, 'serve', '--json', '--data-dir', dataDir], {
  stdio: ['ignore', 'pipe', 'inherit'],
})

/** The address that the server prints on its first line. */
const addressOf = async () => {
  let text = ''
  for await (const chunk of server.stdout) {
    text += chunk
    if (text.includes('\n')) return JSON.parse(text.split('\n', 1)[0]).url
  }
  throw new Error('The server ended before it said its address.')
}

/**
 * Notes in the page how long each press of a key or button took until the next frame showed its effect; the browser
 * does not tell of those below 16 ms, which count as that.
 */
function startWatch() {
  const LEAST_MS = 16
  const slowest = new Map()
  const before = performance.interactionCount
  globalThis.interactions?.stop()
  const observer = new PerformanceObserver((list) => {
    for (const { interactionId, duration, name, target, processingStart, processingEnd } of list.getEntries()) {
      if (!interactionId || duration <= (slowest.get(interactionId)?.durationMs ?? 0)) continue
      const of = target?.closest?.('button, a, input, [role]')
      const about = `${name} on ${of?.getAttribute('aria-label') ?? of?.textContent?.trim().slice(0, 40) ?? 'the page'}`
      slowest.set(interactionId, { durationMs: duration, scriptMs: processingEnd - processingStart, about })
    }
  })
  observer.observe({ type: 'event', durationThreshold: LEAST_MS })
  globalThis.interactions = {
    stop: () => observer.disconnect(),
    read() {
      const told = [...slowest.values()]
      const quick = Math.max(0, performance.interactionCount - before - told.length)
      return [...told, ...Array.from({ length: quick }, () => ({ durationMs: LEAST_MS, scriptMs: 0, about: '' }))]
    },
  }
}

function p95(interactions) {
  if (interactions.length === 0) return '–'
  const sorted = interactions.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other)
  return Math.round(sorted[Math.ceil(sorted.length * 0.95) - 1])
}

async function doTasks(page) {
  const all = []
  for (const { name, goal, run } of tasks) {
    const person = new Person(page)
    const startMs = performance.now()
    await page.evaluate(startWatch)
    let problem = ''
    let longestMs = 0
    try {
      longestMs = Math.max(0, ...(await tasksDuring(page, () => run(person))))
    } catch (thrown) {
      const picture = join(pictures, `${name}.png`)
      await page.screenshot({ path: picture })
      problem = `not done: ${thrown.message.split('\n')[0]} (see ${picture})`
      // The next task begins without what this one left open.
      await page.keyboard.press('Escape')
    }
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    const interactions = await page.evaluate(() => globalThis.interactions.read())
    all.push(...interactions.map((each) => ({ ...each, task: name })))
    print([
      name,
      goal ?? '–',
      person.clicks,
      person.keys,
      person.steps,
      seconds,
      p95(interactions),
      Math.round(longestMs),
      problem,
    ])
  }
  return all
}

const widths = [50, 6, 8, 6, 7, 9, 8, 12]
const print = (cells) =>
  console.log(
    cells
      .map((cell, at) => String(cell).padEnd(widths[at] ?? 0))
      .join('')
      .trimEnd(),
  )

mkdirSync(pictures, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  await page.goto(await addressOf())
  print(['TASK', 'GOAL', 'CLICKS', 'KEYS', 'STEPS', 'SECONDS', 'P95 MS', 'LONGEST MS'])
  const all = await doTasks(page)
  console.log(`Every interaction: ${all.length}, 95 % of them answered within ${p95(all)} ms.`)
  for (const each of all.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, Number(options.slowest)))
    console.log(`${each.durationMs} ms, ${Math.round(each.scriptMs)} ms in scripts: ${each.about} (${each.task})`)
  // What was noted of each interaction would count as memory of the window.
  await page.evaluate(() => globalThis.interactions?.stop())
  if (options.minutes !== '0')
    await repeat(new Person(page), Number(options.minutes), ({ heapMb, nodes, listeners }, round) =>
      console.log(`After round ${round}: ${heapMb.toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`),
    )
} finally {
  await browser.close()
  server.kill()
  await new Promise((ended) => server.once('exit', ended))
  rmSync(dataDir, { recursive: true, force: true })
}
