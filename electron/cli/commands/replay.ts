import { basename, dirname, resolve } from 'node:path'
import { MOST_REPORT_BYTES, type Replay, ReplayError } from '#core/record/recordService.ts'
import { readSmallFile } from '#core/smallFile.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { exit, type CliCommand, type Invocation, soleAction } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { fetchSources } from '../fetching/fetchSources.ts'
import { isConfirmed } from '../confirm.ts'
import { replayText as text } from '../text/recordCommands.ts'
import { readableSqlError } from './sql.ts'

/** Maximum number of differences printed as text; `--json` has all of them. */
const MOST_SHOWN = 50

const replay = soleAction({
  summary: text.summary,
  interrupted: text.interrupted,
  args: [{ name: 'FILE', description: text.args.FILE, path: true, reads: true }],
  options: { fetch: { type: 'flag', description: text.options.fetch } },
  async run(invocation) {
    const { app, args, client, connection, out, signal, options } = invocation
    const file = resolve(args[0])
    const html = readReportFile(file)
    const reports = await (await app()).reports()
    const connectionId = connection === undefined ? undefined : (await findConnection(await client(), connection)).id
    const place = { baseFolder: dirname(file), connectionId }
    try {
      const missing = await reports.missingSources(html, place)
      if (missing.length > 0 && (options.fetch || (await confirmsFetch(missing, invocation))))
        await fetchSources(missing, invocation)
      const result = await reports.replay(html, { ...place, signal, who: 'cli' })
      out.result(result, () => replayLines(result))
      if (!out.json)
        for (const { at, why } of result.unverified.slice(0, MOST_SHOWN)) out.note(text.unverified(at, why))
      return result.differences.length > 0 ? exit.partial : exit.done
    } catch (thrown) {
      if (signal.aborted) throw thrown
      throw readableError(thrown, file, options.fetch)
    }
  },
})

function readReportFile(file: string): string {
  try {
    return readSmallFile(file, MOST_REPORT_BYTES)
  } catch (thrown) {
    const { detail, sentence } = toAppError(thrown)
    throw new Failure(detail ?? sentence, { cause: thrown })
  }
}

function readableError(thrown: unknown, file: string, hasFetched: boolean): unknown {
  if (thrown instanceof ReplayError) {
    const isServed = thrown.missing.some((path) => path.startsWith('files/'))
    const hint = !isServed ? '' : hasFetched ? text.notFetched : text.fetchHint
    return new Failure(`${basename(file)}: ${thrown.detail ?? thrown.message}${hint}`)
  }
  if (thrown instanceof StudyError || thrown instanceof PanelError)
    return new Failure(`${basename(file)}: ${thrown.message}`)
  return readableSqlError(thrown)
}

/**
 * Asks on a terminal whether to download the missing files. Without a terminal it returns false, so a script has to use
 * --fetch.
 */
async function confirmsFetch(missing: readonly string[], { out }: Pick<Invocation, 'out'>): Promise<boolean> {
  if (!process.stderr.isTTY) return false
  out.problem(text.missing(missing))
  return isConfirmed(text.ask)
}

function replayLines({ differences, sources, withFilesOfNow, problemNow }: Replay): string[] {
  const count = differences.length
  const shown = differences.slice(0, MOST_SHOWN)
  return [
    problemNow !== undefined
      ? text.fromOriginalsAlone(count, problemNow)
      : withFilesOfNow === null
        ? text.differences(count)
        : text.fromOriginals(count, withFilesOfNow),
    ...sources.filter(({ state }) => state === 'changed').map(({ path }) => text.changed(path)),
    ...shown.flatMap(({ at, was, now, why }) => [text.line(at, was ?? text.none, now ?? text.none), text.why(why)]),
    ...(count > shown.length ? [text.more(count - shown.length)] : []),
  ]
}

export const command: CliCommand = {
  verb: 'replay',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope replay momentum.html', 'perpscope replay basis.html --fetch --json'],
  actions: [replay],
}
