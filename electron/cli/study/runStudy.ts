import { dirname, extname, resolve } from 'node:path'
import { type LabRequest, type LabRunOptions, withoutSeries } from '#core/lab/lab.ts'
import type { GridPart } from '#core/lab/portfolio/portfolioTestService.ts'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import type { StudyRequest } from '#core/lab/studyService.ts'
import { isPortfolioDocument } from '#shared/lab/kinds.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { printRefusal, runOrPrintRefusal } from '../studyRefusal.ts'
import { partLines, studySummary } from './studySummary.ts'
import { checkTargetFile, checkTargetFolder } from '../targets.ts'
import { studyText as text } from '../text/commands.ts'
import { progressText } from '../text/messages.ts'
import { readOnlyText } from '../text/terminalTexts.ts'
import { UsageError } from '../usageError.ts'
import { noteVenuesOfStudy } from '../venues.ts'
import type { panelOptions, runOptions } from './studyOptions.ts'

/** Runs a study or a part of a grid, and prints its result. */
export async function runAndPrint(invocation: Invocation<typeof runOptions>): Promise<ExitStatus> {
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
      const { result } = await (await core.lab()).run(request, labOptions(invocation))
      if (options.out !== undefined) {
        const { writeResult } = await import('./writeResult.ts')
        writeResult(resolve(options.out), result, core)
      }
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
}

/** Writes the rows that a study uses to a file. */
export async function writeRows(invocation: Invocation<typeof panelOptions>): Promise<ExitStatus> {
  const { options, app, out } = invocation
  const path = resolve(options.out)
  if (!['.csv', '.parquet'].includes(extname(path).toLowerCase())) throw new UsageError(text.panel.badOut)
  checkTargetFile(path)
  return runOrPrintRefusal(invocation, async () => {
    const request = await requestOf(invocation, options)
    const rows = await (await (await app()).lab()).writePanel(request, path, labOptions(invocation))
    out.result({ path, rows }, () => [text.panel.written(rows, path)])
    return exit.done
  })
}

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
  const result = await (await (await app()).lab()).runPart(request, part, labOptions(invocation))
  out.result(result, () => partLines(result))
  out.note(text.run.partDone(plainPlural(result.grid.length, 'combination'), part.part, part.parts))
  return exit.done
}

/** Builds the request of a study; throws a `StudyError` if its file is not JSON. */
async function requestOf(
  invocation: Pick<Invocation, 'args' | 'client' | 'connection' | 'out' | 'signal'>,
  { panel, against }: { panel: string | undefined; against?: string | undefined },
): Promise<LabRequest> {
  const {
    args: [path],
    client,
    connection,
  } = invocation
  const document = readStudyDocument(resolve(path))
  if (panel === undefined) await noteVenuesOfStudy(invocation, document)
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
function labOptions({ signal, out }: Pick<Invocation, 'signal' | 'out'>): LabRunOptions {
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
