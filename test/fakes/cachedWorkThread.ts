import { createHash, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { workKey } from '../../electron/sandbox/files/fileStore.ts'
import type { SandboxAnswer, SandboxTask } from '../../electron/sandbox/files/sandboxTask.ts'
import { WorkThread, type TaskThread } from '../../electron/sandbox/files/workThread.ts'

const keyOf = (task: SandboxTask) => (task.kind === 'file' ? workKey(task.recipe) : JSON.stringify(task))

const withFiles = (answer: SandboxAnswer, copy: (path: string) => string): SandboxAnswer =>
  answer.kind === 'file'
    ? { kind: 'file', files: answer.files.map((file) => ({ ...file, path: copy(file.path) })) }
    : answer

function recall(place: string, task: SandboxTask): SandboxAnswer | null {
  if (!existsSync(place)) return null
  const answer = JSON.parse(readFileSync(join(place, 'answer.json'), 'utf8')) as SandboxAnswer
  return withFiles(answer, (name) => {
    const path = join(task.kind === 'file' ? task.folder : '', `${randomUUID()}.parquet`)
    copyFileSync(join(place, name), path)
    return path
  })
}

function keep(place: string, answer: SandboxAnswer): void {
  const draft = mkdtempSync(`${place}-`)
  const kept = withFiles(answer, (path) => {
    copyFileSync(path, join(draft, basename(path)))
    return basename(path)
  })
  writeFileSync(join(draft, 'answer.json'), JSON.stringify(kept))
  try {
    renameSync(draft, place)
  } catch {
    // Another test has stored the same answer first.
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * Opens a sandbox thread that reuses the answers of other tests in this run, because equal tasks have equal answers.
 */
export function openCachedWorkThread(): TaskThread {
  const thread = new WorkThread()
  const runFolder = process.env.PERPSCOPE_TEST_FOLDER
  if (!runFolder) return thread
  const answers = join(runFolder, 'answers')
  mkdirSync(answers, { recursive: true })
  return {
    start: () => {},
    async run(task, weight) {
      const place = join(answers, createHash('sha256').update(keyOf(task)).digest('hex'))
      const known = recall(place, task)
      if (known) return known
      const answer = await thread.run(task, weight)
      if (answer.kind !== 'failed') keep(place, answer)
      return answer
    },
    close: () => thread.close(),
  }
}
