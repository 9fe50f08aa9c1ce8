/**
 * Does what a person does in the built app, with real mouse and keys in Chromium on the built-in sandbox, and prints the
 * clicks, keys and steps of each task beside its goal. It judges nothing: a task that cannot be done says why, and the
 * exit status is 0.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { Person } from './tasks/person.mjs'
import { tasks } from './tasks/tasks.mjs'

const STEP_TIMEOUT_MS = 30_000
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

async function doTasks(page) {
  const rows = []
  for (const { name, goal, run } of tasks) {
    const person = new Person(page)
    const startMs = performance.now()
    let problem = ''
    try {
      await run(person)
    } catch (thrown) {
      problem = `not done: ${thrown.message.split('\n')[0]}`
      // The next task begins without what this one left open.
      await page.keyboard.press('Escape')
    }
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    rows.push([name, goal ?? '–', person.clicks, person.keys, person.steps, seconds, problem])
  }
  return rows
}

const widths = [50, 6, 8, 6, 7, 9]
const print = (cells) =>
  console.log(
    cells
      .map((cell, at) => String(cell).padEnd(widths[at] ?? 0))
      .join('')
      .trimEnd(),
  )

const browser = await chromium.launch({
  executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  await page.goto(await addressOf())
  print(['TASK', 'GOAL', 'CLICKS', 'KEYS', 'STEPS', 'SECONDS'])
  for (const row of await doTasks(page)) print(row)
} finally {
  await browser.close()
  server.kill()
  await new Promise((ended) => server.once('exit', ended))
  rmSync(dataDir, { recursive: true, force: true })
}
