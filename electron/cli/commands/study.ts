import { zonedTime } from '#shared/units/instants.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import type { App } from '#core/app.ts'
import { type LabRequest, type LabRunOptions, withoutSeries } from '#core/lab/lab.ts'
import type { GridPart } from '#core/lab/portfolio/portfolioTestService.ts'
import { readStudyDocument, type StudyRequest } from '#core/lab/studyService.ts'
import { registerStudy } from '#core/lab/forward/registerStudy.ts'
import { recordedRun } from '#core/lab/ledger/ledgerReport.ts'
import { writeTestTable } from '#core/lab/portfolio/writeTestTable.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import type { TestFormat, TestTable } from '#shared/contract/areas/lab.ts'
import { attemptWrite } from '#shared/contract/writeError.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { isPortfolioDocument } from '#shared/lab/kinds.ts'
import { seriesOf, testOf } from '#shared/lab/kinds/screen/openCell.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'
import { portfolioTables } from '#shared/lab/portfolio/portfolioTables.ts'
import { type RecordedRun, testProvenance } from '#shared/lab/portfolio/testProvenance.ts'
import { studyTables } from '#shared/lab/studyTables.ts'
import { action, type CliCommand, exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { tableLines } from '../print.ts'
import { compareAction } from '../studyComparison.ts'
import { explainAction, newAction, schemaAction } from '../studyDocuments.ts'
import { printRefusal, runOrPrintRefusal } from '../studyRefusal.ts'
import { partLines, studySummary } from '../studySummary.ts'
import { checkTargetFile, checkTargetFolder } from '../targets.ts'
import { studyText as text } from '../text/commands.ts'
import { readOnlyText } from '../text/terminalTexts.ts'
import { progressText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'
import { version } from '../version.ts'

const studyArgument = [{ name: 'STUDY', description: text.run.args.STUDY, path: true, reads: true }] as const

const panelOptions = {
  panel: { type: 'path', value: 'FILE', reads: true, description: text.run.options.panel },
} as const

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: studyArgument,
  options: {
    ...panelOptions,
    against: { type: 'path', value: 'FILE', reads: true, description: text.run.options.against },
    out: { type: 'path', value: 'DIR', description: text.run.options.out },
    'open-holdout': { type: 'flag', description: text.run.options['open-holdout'] },
    bars: { type: 'flag', description: text.run.options.bars },
    part: { type: 'text', value: 'K/N', description: text.run.options.part },
    'no-record': { type: 'flag', description: readOnlyText.noRecord },
  },
  readsOnly: (options) => options['no-record'],
  async run(invocation) {
    const { options, app, out } = invocation
    const part = options.part === undefined ? null : parsePart(options.part)
    if (options.out !== undefined) checkTargetFolder(resolve(options.out))
    return runOrPrintRefusal(invocation, async () => {
      const request = {
        ...(await requestOf(invocation, options)),
        openHoldout: options['open-holdout'],
        keepBars: options.bars,
        keepWeights: options.out !== undefined,
      }
      if (!isPortfolioDocument(request.document)) refusePortfolioOptions(options)
      try {
        const core = await app()
        core.ledger().notices.splice(0).forEach(out.note)
        if (part !== null) return await runPart(invocation, request, part)
        const { result } = await (await core.lab()).run(request, runOptions(invocation))
        if (options.out !== undefined) writeResult(resolve(options.out), result, core)
        for (const { message } of result.warnings) out.note(message)
        if (result.data.notDownloaded) await noteMissing(invocation, request)
        const shown = result.kind === 'portfolio' ? withoutSeries(result) : result
        out.result(shown, () => studySummary(shown))
        if (options['no-record']) out.note(readOnlyText.notRecorded)
        return exit.done
      } catch (error) {
        if (!(error instanceof PanelError)) throw error
        return refusePanel(invocation, request, error.message)
      }
    })
  },
})

function refusePortfolioOptions(options: { 'open-holdout': boolean; bars: boolean; part: string | undefined }): void {
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

async function runPart(invocation: Invocation, request: LabRequest, part: GridPart): Promise<ExitStatus> {
  const { app, out } = invocation
  const result = await (await (await app()).lab()).runPart(request, part, runOptions(invocation))
  out.result(result, () => partLines(result))
  out.note(text.run.partDone(plainPlural(result.grid.length, 'combination'), part.part, part.parts))
  return exit.done
}

const register = action({
  name: 'register',
  summary: text.register.summary,
  args: studyArgument,
  options: {
    expect: { type: 'text', value: 'TEXT', required: true, description: text.register.options.expect },
    kill: { type: 'text', value: 'CRITERION', description: text.register.options.kill },
    note: { type: 'text', value: 'TEXT', description: text.register.options.note },
    'on-panel': { type: 'flag', description: text.register.options['on-panel'] },
  },
  run(invocation) {
    const { app, out, args, options } = invocation
    return runOrPrintRefusal(invocation, async () => {
      const document = readStudyDocument(resolve(args[0]))
      const { expect, kill = null, note = null } = options
      const core = await app()
      const registration = { document, onPanel: options['on-panel'], expect, kill, note }
      const entry = registerStudy(core.ledger(), registration, 'cli')
      core.ledger().notices.splice(0).forEach(out.note)
      out.result(entry, () => [text.register.done(entry.sequence)])
      if (entry.late) out.note(text.register.late)
      return exit.done
    })
  },
})

const overfitting = action({
  name: 'overfitting',
  summary: text.overfitting.summary,
  args: [{ name: 'FILE', description: text.overfitting.args.FILE, path: true, reads: true }],
  async run(invocation) {
    const { app, out, args } = invocation
    return runOrPrintRefusal(invocation, async () => {
      const document = readStudyDocument(resolve(args[0]))
      const figures = await (await (await app()).lab()).overfitting(document)
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
  readsOnly: true,
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
  readsOnly: true,
  summary: text.show.summary,
  args: [{ name: 'ID', description: text.show.args.ID }],
  async run({ app, out, args }) {
    const { studyRuns, lab } = await app()
    const storedStudy = studyRuns.read(args[0])
    const isCacheStudy =
      'source' in storedStudy.study && storedStudy.study.kind !== 'portfolio' && storedStudy.study.source !== null
    const facts = isCacheStudy ? await (await lab()).cacheFacts({ document: storedStudy.study }) : null
    if (facts && 'newestFetchMs' in facts && facts.newestFetchMs > storedStudy.lastRun) out.note(text.show.changed)
    out.result(storedStudy, () => [JSON.stringify(storedStudy.study, null, 2), '', ...studySummary(storedStudy.result)])
    return exit.done
  },
})

const open = action({
  name: 'open',
  summary: text.open.summary,
  args: [{ name: 'ID', description: text.open.args.ID }],
  options: {
    line: { type: 'integer', value: 'N', min: 1, max: 50_000, description: text.open.options.line },
    as: { type: 'text', value: 'KIND', values: ['series', 'test'], description: text.open.options.as },
  },
  async run({ app, out, args: [id], options: { line = 1, as = 'test' } }) {
    const { result } = (await app()).studyRuns.read(id)
    if (result.kind !== 'screen') throw new UsageError(text.open.noScreen(id))
    if (result.cells.length === 0) throw new UsageError(text.open.noLines)
    const cell = result.cells.at(line - 1)
    if (!cell) throw new UsageError(text.open.noLine(result.cells.length))
    const document = (as === 'series' ? seriesOf : testOf)(result, cell)
    out.result(document, () => [JSON.stringify(document, null, 2)])
    return exit.done
  },
})

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
      const rows = await (await (await app()).lab()).writePanel(request, path, runOptions(invocation))
      out.result({ path, rows }, () => [text.panel.written(rows, path)])
      return exit.done
    })
  },
})

/** Builds the request of a study; throws a `StudyError` if its file is not JSON. */
async function requestOf(
  { args: [path], client, connection }: Pick<Invocation, 'args' | 'client' | 'connection'>,
  { panel, against }: { panel: string | undefined; against?: string | undefined },
): Promise<LabRequest> {
  const document = readStudyDocument(resolve(path))
  return {
    folder: dirname(resolve(path)),
    document,
    connectionId: connection === undefined ? '' : (await findConnection(await client(), connection)).id,
    panelPath: panel === undefined ? null : resolve(panel),
    againstPath: against === undefined ? null : resolve(against),
  }
}

/** Time before a study shows its stages; most runs end within it. */
const QUIET_START_MS = 1000

/**
 * Returns options that show the progress of a long run. What it does while the document may still be refused shows
 * nothing, because a refusal should be the only output.
 */
function runOptions({ signal, out }: Pick<Invocation, 'signal' | 'out'>): LabRunOptions {
  const startMs = performance.now()
  let isShown = false
  return {
    signal,
    who: 'cli',
    onProgress({ stage, done, total }) {
      if (stage === 'test' || stage === 'grid') {
        if (done > 0) out.progress({ done, total, message: progressText.portfolioRuns })
        return
      }
      const isMaybeRefused = stage === 'formulas' || (stage === 'rows' && done === 0)
      if (performance.now() - startMs < QUIET_START_MS || (isMaybeRefused && !isShown)) return
      isShown = true
      out.progress({ done: Math.round(done * 100), total: 100, message: progressText.studyStages[stage] })
    },
  }
}

/** Prints the commands that download the missing files of a study. */
async function noteMissing({ app, out }: Pick<Invocation, 'app' | 'out'>, request: StudyRequest): Promise<void> {
  if (request.panelPath !== null) return
  const answer = await (await (await app()).lab()).missingFiles(request)
  if ('refused' in answer || answer.missing.length === 0) return
  out.note(text.missingFiles(answer.missing.length))
  // Datasets of which the same is missing are downloaded by one command.
  const datasetsOf = new Map<string, string[]>()
  for (const { datasets, exchanges, symbols, intervals = [], timestamps = [], startDay, endDay } of answer.requests) {
    const rest = `--exchange ${exchanges.join(',')} --symbol ${symbols.join(',')} --interval ${intervals.join(',')} --timestamp ${timestamps.join(',')} --start ${startDay} --end ${endDay}`
    datasetsOf.set(rest, [...(datasetsOf.get(rest) ?? []), ...datasets])
  }
  for (const [rest, datasets] of datasetsOf) out.note(`perpscope fetch --dataset ${datasets.join(',')} ${rest}`)
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

/** Writes a result with its document and its tables, and the series of a test. */
function writeResult(folder: string, result: LabResult, { ledger }: Pick<App, 'ledger'>): void {
  attemptWrite(folder, () => mkdirSync(folder, { recursive: true }))
  const write = (name: string, text: string) =>
    attemptWrite(join(folder, name), () => writeFileSync(join(folder, name), text))
  const isTest = result.kind === 'portfolio'
  write('study.json', `${JSON.stringify(result.study, null, 2)}\n`)
  write('result.json', `${JSON.stringify(isTest ? withoutSeries(result) : result)}\n`)
  for (const { name, csv } of isTest ? portfolioTables(result) : studyTables(result)) write(`${name}.csv`, csv)
  if (isTest) writeTestSeries(folder, result, recordedRun(ledger().tables, result.documentHash))
}

export const command: CliCommand = {
  verb: 'study',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope study new signal > carry.json',
    'perpscope study register carry.json --expect up --kill "sharpe < 0 after 60d"',
    'perpscope study run carry.json',
    'perpscope study run momentum.json --panel panel.parquet',
    'perpscope study run momentum.json --panel panel.csv --json',
    'perpscope study run carry-portfolio.json --panel panel.parquet --part 3/8',
    'perpscope study open 8c1d20ffa3e4 --line 2 --as test > line.json',
    'perpscope study explain carry.json',
    'perpscope study compare carry.json carry-band.json',
    'perpscope study compare 3f2a9c01b7de --portfolio momentum_ls.20',
    'perpscope study panel momentum.json --panel panel.csv --out used.parquet',
  ],
  actions: [newAction, schemaAction, explainAction, register, run, list, show, open, compareAction, panel, overfitting],
}
