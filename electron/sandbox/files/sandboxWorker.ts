/** Entry of the thread that generates files and portfolio responses, one task at a time. */
import { parentPort } from 'node:worker_threads'
import { Memo } from '../market/memo.ts'
import { answerPortfolio } from '../portfolio/answerPortfolio.ts'
import { portfolioText } from '../portfolio/portfolioText.ts'
import { createWorld, type World } from '../portfolio/world.ts'
import type { FileRecipe } from './fileRecipe.ts'
import { makeMetricFiles } from './metricFile.ts'
import { rawCatalogDocument } from './rawCatalog.ts'
import { makeRawFile } from './rawFile.ts'
import type { SandboxAnswer, SandboxTask } from './sandboxTask.ts'

const worlds = new Memo<number, World>(1)

const makeFiles = (recipe: FileRecipe, folder: string) =>
  recipe.kind === 'raw' ? makeRawFile(recipe, folder) : makeMetricFiles(recipe, folder)

async function answer(task: SandboxTask): Promise<SandboxAnswer> {
  if (task.kind === 'file') return { kind: 'file', files: await makeFiles(task.recipe, task.folder) }
  if (task.kind === 'rawCatalog') return { kind: 'rawCatalog', document: rawCatalogDocument(task.task) }
  const { seed, venues, path, query, nowMs, historyDelayDays, hasNanLiterals } = task.request
  const world = worlds.get(seed, () => createWorld(seed))
  const { status, body } = answerPortfolio(world, nowMs, path, new URLSearchParams(query), { historyDelayDays, venues })
  return { kind: 'portfolio', status, body: portfolioText(body, hasNanLiterals) }
}

async function run(task: SandboxTask): Promise<void> {
  try {
    parentPort?.postMessage(await answer(task))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    parentPort?.postMessage({ kind: 'failed', message } satisfies SandboxAnswer)
  }
}

parentPort?.on('message', (task: SandboxTask) => void run(task))
