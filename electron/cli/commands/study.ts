import { zonedTime } from '#shared/units/instants.ts'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import type { LabAnswer, LabTask } from '#core/lab/labWorker.ts'
import { createStudyRunner } from '#core/lab/studyRunner.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { type Study, StudyError } from '#shared/lab/studyDocument.ts'
import { studyTables } from '#shared/lab/studyTables.ts'
import { action, type Command, exit, type ExitStatus, type Invocation } from '../command.ts'
import { Failure } from '../failure.ts'
import { tableLines } from '../print.ts'
import { studySummary } from '../studySummary.ts'
import { checkTargetFile } from '../targets.ts'
import { studyText as text } from '../text/commands.ts'
import { failureText, progressText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

const panelOptions = {
  panel: { type: 'path', value: 'FILE', description: text.run.options.panel },
} as const

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: [{ name: 'STUDY', description: text.run.args.STUDY, path: true }],
  options: {
    ...panelOptions,
    against: { type: 'path', value: 'FILE', description: text.run.options.against },
    out: { type: 'path', value: 'DIR', description: text.run.options.out },
  },
  async run(invocation) {
    const { options, args, app, out } = invocation
    return refusing(invocation, async () => {
      const study = readStudy(args[0], options.panel)
      const againstPath = againstOf(study, options.against)
      const answer = await runTask(invocation, {
        study,
        panelPath: pathOf(options.panel),
        againstPath,
        panelOutPath: null,
      })
      if (!('result' in answer)) return refuse(invocation, answer)
      const { result } = answer
      ;(await app()).studies.save(study, result)
      if (options.out !== undefined) writeTables(resolve(options.out), study, result)
      for (const { message } of result.warnings) out.note(message)
      out.result(result, () => studySummary(result))
      return exit.done
    })
  },
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ app, out }) {
    const studies = (await app()).studies.list()
    out.result(studies, () =>
      studies.length === 0
        ? [text.list.none]
        : tableLines([
            ['ID', 'KIND', 'LAST RUN', 'NAME'],
            ...studies.map(({ id, kind, lastRun, name }) => [id, kind, zonedTime(lastRun, 'utc'), name ?? '']),
          ]),
    )
    return exit.done
  },
})

const show = action({
  name: 'show',
  summary: text.show.summary,
  args: [{ name: 'ID', description: text.show.args.ID }],
  async run({ app, out, args }) {
    const stored = (await app()).studies.read(args[0])
    out.result(stored, () => [JSON.stringify(stored.study, null, 2), '', ...studySummary(stored.result)])
    return exit.done
  },
})

const panel = action({
  name: 'panel',
  summary: text.panel.summary,
  interrupted: text.panel.interrupted,
  args: [{ name: 'STUDY', description: text.run.args.STUDY, path: true }],
  options: {
    ...panelOptions,
    out: { type: 'path', value: 'FILE', required: true, description: text.panel.options.out },
  },
  async run(invocation) {
    const { options, args, out } = invocation
    const path = resolve(options.out)
    if (!['.csv', '.parquet'].includes(extname(path).toLowerCase())) throw new UsageError(text.panel.badOut)
    checkTargetFile(path)
    return refusing(invocation, async () => {
      const study = readStudy(args[0], options.panel)
      const task = { study, panelPath: pathOf(options.panel), againstPath: null, panelOutPath: path }
      const answer = await runTask(invocation, task)
      if (!('written' in answer)) return refuse(invocation, answer)
      out.result(answer.written, () => [text.panel.written(answer.written.rows, answer.written.path)])
      return exit.done
    })
  },
})

/** Reads a study document; the rows come from `panelPath`, or else from the source of the study. */
function readStudy(path: string, panelPath: string | undefined): Study {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(resolve(path), 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StudyError(path, `cannot be read as JSON (${reason}).`)
  }
  const study = parseStudy(document, { fromCache: panelPath === undefined })
  if (panelPath !== undefined) return study
  if (study.source === null) throw new StudyError('source', text.noSource)
  throw new Failure(failureText.studyNeedsPanel)
}

function againstOf(study: Study, against: string | undefined): string | null {
  if (against === undefined) return null
  if (study.kind !== 'signal') throw new StudyError('against', text.againstSignalOnly)
  return resolve(against)
}

const pathOf = (panelPath: string | undefined): string => resolve(panelPath ?? '')

async function runTask({ signal, out }: Pick<Invocation, 'signal' | 'out'>, task: LabTask): Promise<LabAnswer> {
  const runner = createStudyRunner()
  try {
    return await runner.run(task, {
      signal,
      onStage: (stage, share) =>
        out.progress({ done: Math.round(share * 100), total: 100, message: progressText.studyStages[stage] }),
    })
  } finally {
    await runner.close()
  }
}

/** Prints why a study was refused as one sentence. */
function refuse({ out }: Pick<Invocation, 'out'>, answer: LabAnswer): ExitStatus {
  if (!('refused' in answer)) return exit.failed
  out.problem(answer.message)
  return answer.refused === 'study' ? exit.usage : exit.failed
}

async function refusing(invocation: Pick<Invocation, 'out'>, work: () => Promise<ExitStatus>): Promise<ExitStatus> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StudyError)) throw error
    return refuse(invocation, { refused: 'study', message: error.message })
  }
}

function writeTables(folder: string, study: Study, result: Parameters<typeof studyTables>[0]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'study.json'), `${JSON.stringify(study, null, 2)}\n`)
  writeFileSync(join(folder, 'result.json'), `${JSON.stringify(result)}\n`)
  for (const { name, csv } of studyTables(result)) writeFileSync(join(folder, `${name}.csv`), csv)
}

export const command: Command = {
  verb: 'study',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope study run momentum.json --panel panel.parquet',
    'perpscope study run momentum.json --panel panel.csv --json',
    'perpscope study panel momentum.json --panel panel.csv --out used.parquet',
  ],
  actions: [run, list, show, panel],
}
