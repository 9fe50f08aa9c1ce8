import { expect, test } from 'vitest'
import { exit } from '../../../electron/cli/command.ts'
import { createJournal } from '../../../electron/cli/fetching/journal.ts'
import { createOutput } from '../../../electron/cli/print.ts'

function outputTo(lines: string[], json = false) {
  const sink = { write: (text: string | Uint8Array) => void lines.push(...String(text).trimEnd().split('\n')) }
  return createOutput({ json, quiet: false, env: {}, stdout: sink, stderr: sink })
}

/** Runs an hour of many sets, each with news, notes, progress and problems. */
async function runHour(lines: string[], sets: number, { isVerbose = false, hasNews = true, json = false } = {}) {
  const journal = createJournal(outputTo(lines, json), isVerbose)
  for (let set = 0; set < sets; set++)
    await journal.ofSet(`set ${set}`, async (out) => {
      for (let file = 0; file < 500; file++) {
        out.note(`note ${file}`)
        out.progress({ done: file, total: 500, message: 'files' })
        if (hasNews) out.problem(`problem ${file}`)
      }
      out.record({ summary: { files: 500, cached: hasNews ? 490 : 500 } }, () => '500 files: 490 cached, 10 downloaded')
      return exit.partial
    })
  for (let set = 0; set < sets; set++) if (hasNews) journal.failed(`set ${set}`, 'no key')
  journal.end()
}

test('the journal of an hour stays short whatever the sets do', async () => {
  const lines: string[] = []
  await runHour(lines, 40)
  expect(lines.slice(0, 2)).toEqual(['set 0: 500 files: 490 cached, 10 downloaded', 'set 0: problem 0'])
  // The checks of an hour add at most six lines.
  expect(lines.length + 6).toBeLessThan(20)
  expect(lines.at(-1)).toBe('75 more sets; --verbose lists all')
})

test('sets without news are one line', async () => {
  const lines: string[] = []
  await runHour(lines, 40, { hasNews: false })
  expect(lines).toEqual(['40 sets: nothing new'])
})

test('all lines come where they are asked for, and as JSON', async () => {
  const lines: string[] = []
  await runHour(lines, 1, { isVerbose: true })
  expect(lines).toContain('note 499')
  const records: string[] = []
  await runHour(records, 1, { json: true })
  expect(records).toContain('{"summary":{"files":500,"cached":490}}')
})
