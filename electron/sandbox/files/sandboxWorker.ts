/** Thread entry: makes files and portfolio answers, one task at a time. */
import { parentPort } from 'node:worker_threads'
import type { FileJob } from './fileJob.ts'
import { makeMetricFiles } from './metricFile.ts'
import { makeRawFile } from './rawFile.ts'
import type { SandboxAnswer, SandboxTask } from './sandboxTask.ts'

const makeFiles = (job: FileJob, folder: string) =>
  job.kind === 'raw' ? makeRawFile(job, folder) : makeMetricFiles(job, folder)

function answer(task: SandboxTask): SandboxAnswer {
  if (task.kind === 'file') return { kind: 'file', files: makeFiles(task.job, task.folder) }
  return { kind: 'portfolio', status: 404, body: '{"error":"not here yet","code":"not_found","details":{}}' }
}

parentPort?.on('message', (task: SandboxTask) => {
  try {
    parentPort?.postMessage(answer(task))
  } catch (error) {
    const message = error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
    parentPort?.postMessage({ kind: 'failed', message } satisfies SandboxAnswer)
  }
})
