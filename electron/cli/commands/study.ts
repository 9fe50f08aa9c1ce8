import { zonedTime } from '#shared/units/instants.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import type { GridPart, PortfolioRunOptions } from '#core/lab/portfolio/portfolioTestService.ts'
import { readStudyDocument, type StudyRefusal, type StudyRequest } from '#core/lab/studyService.ts'
import { recordedRun } from '#core/lab/ledger/ledgerReport.ts'
import { writeTestTable } from '#core/lab/portfolio/writeTestTable.ts'
import type { TestFormat, TestTable } from '#shared/contract/areas/lab.ts'
import { attemptWrite } from '#shared/contract/writeError.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import type { RunOptions } from '#core/lab/studyRunner.ts'
import type { RecordedStudy } from '#core/store/ledger/studyIdentity.ts'
import type { StoredStudy } from '#core/store/studyStore.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { StudyError, type StudySource } from '#shared/lab/studyDocument.ts'
import { isPortfolioDocument } from '#shared/lab/portfolio/portfolioStudy.ts'
import { portfolioTables } from '#shared/lab/portfolio/portfolioTables.ts'
import { type RecordedRun, testProvenance } from '#shared/lab/portfolio/testProvenance.ts'
import { studyTables } from '#shared/lab/studyTables.ts'
import { action, type Command, exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { partLines, portfolioSummary } from '../portfolioSummary.ts'
import { tableLines } from '../print.ts'
import { compareAction } from '../studyComparison.ts'
import { studySummary } from '../studySummary.ts'
import { checkTargetFile, checkTargetFolder } from '../targets.ts'
import { studyText as text } from '../text/commands.ts'
import { progressText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'
import { version } from '../version.ts'

const studyArgument = [{ name: 'STUDY', description: text.run.args.STUDY, path: true }] as const

const panelOptions = {
  panel: { type: 'path', value: 'FILE', description: text.run.options.panel },
} as const

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: studyArgument,
  options: {
    ...panelOptions,
    against: { type: 'path', value: 'FILE', description: text.run.options.against },
    out: { type: 'path', value: 'DIR', description: text.run.options.out },
    'open-holdout': { type: 'flag', description: text.run.options['open-holdout'] },
    bars: { type: 'flag', description: text.run.options.bars },
    part: { type: 'text', value: 'K/N', description: text.run.options.part },
  },
  async run(invocation) {
    const { options, app, out } = invocation
    const part = options.part === undefined ? null : parsePart(options.part)
    if (options.out !== undefined) checkTargetFolder(resolve(options.out))
    return runOrPrintRefusal(invocation, async () => {
      const request = await requestOf(invocation, options)
      if (isPortfolioDocument(request.document))
        return runPortfolio(invocation, request, part).catch((error: unknown) => {
          if (!(error instanceof PanelError)) throw error
          return refusePanel(invocation, request, error.message)
        })
      refusePortfolioOptions(options)
      const answer = await (await (await app()).lab()).run(request, { ...runOptions(invocation), who: 'cli' })
      if ('refused' in answer) {
        if (answer.refused === 'panel') return refusePanel(invocation, request, answer.message)
        return printRefusal(invocation, answer)
      }
      const { study, result } = answer
      if (options.out !== undefined) writeTables(resolve(options.out), study, result, studyTables(result))
      for (const { message } of result.warnings) out.note(message)
      if (result.data.notDownloaded) await noteMissing(invocation, request)
      out.result(result, () => studySummary(result))
      return exit.done
    })
  },
})

interface PortfolioOptions {
  'open-holdout': boolean
  bars: boolean
  part: string | undefined
}

function refusePortfolioOptions(options: PortfolioOptions): void {
  const portfolioOption = options['open-holdout']
    ? '--open-holdout'
    : options.bars
      ? '--bars'
      : options.part && '--part'
  if (portfolioOption) throw new UsageError(text.run.portfolioOnly(portfolioOption))
}

function parsePart(value: string): GridPart {
  const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(value)
  const [part, parts] = match ? [Number(match[1]), Number(match[2])] : [1, 0]
  if (part > parts) throw new UsageError(text.run.badPart)
  return { part, parts }
}

/** Runs a tested portfolio, or one part of its grid. */
async function runPortfolio(
  {
    app,
    out,
    signal,
    options,
  }: Pick<Invocation, 'app' | 'out' | 'signal'> & { options: PortfolioOptions & { out: string | undefined } },
  study: StudyRequest,
  part: GridPart | null,
): Promise<ExitStatus> {
  const { document, panelPath, connectionId } = study
  if (study.againstPath !== null) throw new StudyError('against', text.againstRefused)
  const core = await app()
  const { ledger, studyRuns } = core
  const portfolioTests = await core.portfolioTests()
  ledger().notices.splice(0).forEach(out.note)
  const request = {
    document,
    panelPath,
    connectionId: connectionId ?? '',
    openHoldout: options['open-holdout'],
    keepBars: options.bars,
    keepWeights: options.out !== undefined,
  }
  const runOptions: PortfolioRunOptions = {
    signal,
    who: 'cli',
    onProgress: (done, total) => {
      // Before the first run is done, the rows or formulas may still be refused, and then the error should be the only
      // output.
      if (done > 0) out.progress({ done, total, message: progressText.portfolioRuns })
    },
  }
  if (part !== null) {
    const result = await portfolioTests.runPart(request, part, runOptions)
    out.result(result, () => partLines(result))
    out.note(text.run.partDone(plainPlural(result.grid.length, 'combination'), part.part, part.parts))
    return exit.done
  }
  const answer = await portfolioTests.run(request, runOptions)
  const { dailyWeights: _weights, gridOutOfSample: _grid, ...result } = answer
  studyRuns.save(result.study, result)
  if (options.out !== undefined) {
    const folder = resolve(options.out)
    writeTables(folder, result.study, result, portfolioTables(result))
    const recorded = recordedRun(ledger().tables, answer.documentHash)
    writeTestSeries(folder, answer, recorded)
  }
  for (const { message } of result.warnings) out.note(message)
  if (result.data.notDownloaded) await noteMissing({ app, out }, study)
  out.result(result, () => portfolioSummary(result))
  return exit.done
}

const overfitting = action({
  name: 'overfitting',
  summary: text.overfitting.summary,
  args: [{ name: 'FILE', description: text.overfitting.args.FILE, path: true }],
  async run(invocation) {
    const { app, out, args } = invocation
    return runOrPrintRefusal(invocation, async () => {
      const document = readStudyDocument(resolve(args[0]))
      const figures = (await (await app()).portfolioTests()).overfitting(document)
      out.result(figures, () =>
        tableLines(
          Object.entries(figures).flatMap(([name, value]) =>
            value === null || typeof value === 'number' ? [[name, value === null ? '–' : String(value)]] : [],
          ),
        ),
      )
      return exit.done
    })
  },
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ app, out }) {
    const { studyRuns, ledger } = await app()
    const studies = studyRuns
      .list()
      .map((study) => ({ ...study, recorded: ledger().tables.isRecorded(study.documentHash) }))
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
    const { studyRuns, lab } = await app()
    const storedStudy = studyRuns.read(args[0])
    const isCacheStudy = storedStudy.study.kind !== 'portfolio' && storedStudy.study.source !== null
    const facts = isCacheStudy ? await (await lab()).cacheFacts({ document: storedStudy.study }) : null
    if (facts && 'newestFetchMs' in facts && facts.newestFetchMs > storedStudy.lastRun) out.note(text.show.changed)
    out.result(storedStudy, () => [JSON.stringify(storedStudy.study, null, 2), '', ...summaryOf(storedStudy.result)])
    return exit.done
  },
})

const summaryOf = (result: StoredStudy['result']): string[] =>
  result.kind === 'portfolio' ? portfolioSummary(result) : studySummary(result)

const panel = action({
  name: 'panel',
  summary: text.panel.summary,
  interrupted: text.panel.interrupted,
  args: studyArgument,
  options: {
    ...panelOptions,
    out: { type: 'path', value: 'FILE', required: true, description: text.panel.options.out },
  },
  async run(invocation) {
    const { options, app, out } = invocation
    const path = resolve(options.out)
    if (!['.csv', '.parquet'].includes(extname(path).toLowerCase())) throw new UsageError(text.panel.badOut)
    checkTargetFile(path)
    return runOrPrintRefusal(invocation, async () => {
      const request = await requestOf(invocation, options)
      if (isPortfolioDocument(request.document)) return writeTestPanel(invocation, request, path)
      const lab = await (await app()).lab()
      const answer = await lab.writePanel(request, path, runOptions(invocation))
      if ('refused' in answer) return printRefusal(invocation, answer)
      out.result(answer.written, () => [text.panel.written(answer.written.rows, answer.written.path)])
      return exit.done
    })
  },
})

async function writeTestPanel(
  { app, out, signal }: Pick<Invocation, 'app' | 'out' | 'signal'>,
  { document, panelPath, connectionId }: StudyRequest,
  path: string,
): Promise<ExitStatus> {
  const request = { document, panelPath, connectionId: connectionId ?? '', openHoldout: false, keepBars: false }
  const rows = await (await (await app()).portfolioTests()).writePanel(request, path, signal)
  out.result({ path, rows }, () => [text.panel.written(rows, path)])
  return exit.done
}

/** Builds the request of a study; throws a `StudyError` if its file is not JSON. */
async function requestOf(
  { args: [path], client, connection }: Pick<Invocation, 'args' | 'client' | 'connection'>,
  { panel, against }: { panel: string | undefined; against?: string | undefined },
): Promise<StudyRequest> {
  const document = readStudyDocument(resolve(path))
  return {
    document,
    connectionId: connection === undefined ? '' : (await findConnection(await client(), connection)).id,
    panelPath: panel === undefined ? null : resolve(panel),
    againstPath: against === undefined ? null : resolve(against),
  }
}

/** Time before a run shows its stages; most runs end within it. */
const QUIET_START_MS = 1000

/**
 * Returns options that show the progress of a long run. The first stages, in which the study may still be refused, show
 * nothing, because a refusal should be the only output.
 */
function runOptions({ signal, out }: Pick<Invocation, 'signal' | 'out'>): RunOptions {
  const startMs = performance.now()
  let isShown = false
  return {
    signal,
    onStage(stage, share) {
      const isMaybeRefused = stage === 'formulas' || (stage === 'rows' && share === 0)
      if (performance.now() - startMs < QUIET_START_MS || (isMaybeRefused && !isShown)) return
      isShown = true
      out.progress({ done: Math.round(share * 100), total: 100, message: progressText.studyStages[stage] })
    },
  }
}

/** Prints the commands that download the missing files of a study. */
async function noteMissing({ app, out }: Pick<Invocation, 'app' | 'out'>, request: StudyRequest): Promise<void> {
  if (request.panelPath !== null) return
  const answer = await (await (await app()).lab()).missingFiles(request)
  if ('refused' in answer || answer.missing.length === 0) return
  out.note(text.missingFiles(answer.missing.length))
  for (const { datasets, exchanges, symbols, intervals = [], timestamps = [], startDay, endDay } of answer.requests) {
    out.note(
      `perpscope fetch --dataset ${datasets.join(',')} --exchange ${exchanges.join(',')} --symbol ${symbols.join(',')} --interval ${intervals.join(',')} --timestamp ${timestamps.join(',')} --start ${startDay} --end ${endDay}`,
    )
  }
}

/** Prints why the rows of a study cannot be used, and the commands that download missing files. */
async function refusePanel(invocation: Invocation, request: StudyRequest, message: string): Promise<ExitStatus> {
  // Once the venues' symbols are known, the cached files are checked again: only then are misspelt symbols found.
  const facts = (await readSymbolLists(invocation, request))
    ? await (await (await invocation.app()).lab()).cacheFacts(request)
    : null
  const refusal = facts && 'refused' in facts ? facts : { refused: 'panel' as const, message }
  const status = printRefusal(invocation, refusal)
  await noteMissing(invocation, request)
  return status
}

/** Loads the symbol lists of the study's venues; returns false if the study names no venues or symbols. */
async function readSymbolLists(
  { client, connection, signal }: Invocation,
  { document, panelPath }: StudyRequest,
): Promise<boolean> {
  const source = (document as { source?: Partial<StudySource> | null } | null)?.source
  if (panelPath !== null || !Array.isArray(source?.symbols) || !Array.isArray(source.exchanges)) return false
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  for (const exchange of source.exchanges)
    await core.call('discovery.symbols', { connectionId, exchange }, { signal }).catch(() => signal.throwIfAborted())
  return true
}

/** Prints the reason why a study was refused, in one sentence. */
function printRefusal({ out }: Pick<Invocation, 'out'>, { refused, message }: StudyRefusal): ExitStatus {
  out.problem(message)
  return refused === 'study' ? exit.usage : exit.failed
}

/** Runs work and returns its exit status; if the work refuses its panel or study, prints the reason. */
export async function runOrPrintRefusal(
  invocation: Pick<Invocation, 'out'>,
  work: () => Promise<ExitStatus>,
): Promise<ExitStatus> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PanelError) return printRefusal(invocation, { refused: 'panel', message: error.message })
    if (!(error instanceof StudyError)) throw error
    return printRefusal(invocation, { refused: 'study', message: error.message })
  }
}

/**
 * Writes the series of a test for other programs: days and weights with their provenance, the weights also in the
 * portfolio service's format.
 */
function writeTestSeries(folder: string, result: PortfolioResult, recorded: RecordedRun | null): void {
  const write = (table: TestTable, format: TestFormat) => {
    const facts = { table, writtenBy: `Perpscope ${version}`, nowMs: Date.now(), recorded }
    const provenance = testProvenance(result, facts)
    const path = join(folder, `${table}.${format}`)
    attemptWrite(path, () => {
      writeFileSync(path, writeTestTable(result, { table, format, provenance }))
      if (format !== 'parquet') writeFileSync(`${path}.provenance.json`, provenance)
    })
  }
  write('days', 'csv')
  write('days', 'parquet')
  if (!result.dailyWeights) return
  write('weights', 'csv')
  write('weights', 'parquet')
  write('weights', 'json')
}

function writeTables(
  folder: string,
  study: RecordedStudy,
  result: StoredStudy['result'],
  tables: readonly { name: string; csv: string }[],
): void {
  attemptWrite(folder, () => mkdirSync(folder, { recursive: true }))
  const write = (name: string, text: string) =>
    attemptWrite(join(folder, name), () => writeFileSync(join(folder, name), text))
  write('study.json', `${JSON.stringify(study, null, 2)}\n`)
  write('result.json', `${JSON.stringify(result)}\n`)
  for (const { name, csv } of tables) write(`${name}.csv`, csv)
}

export const command: Command = {
  verb: 'study',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope study run carry.json',
    'perpscope study run momentum.json --panel panel.parquet',
    'perpscope study run momentum.json --panel panel.csv --json',
    'perpscope study run carry-portfolio.json --panel panel.parquet --part 3/8',
    'perpscope study compare 3f2a9c01b7de --portfolio momentum_ls.20',
    'perpscope study panel momentum.json --panel panel.csv --out used.parquet',
  ],
  actions: [run, list, show, compareAction, panel, overfitting],
}
