import { failureText, noteText, resultText, usageText } from '../text/messages.ts'
import { queueText as text } from '../text/commands.ts'
import type { Download } from '#shared/contract/areas/downloads.ts'
import { downloadColumns } from '#shared/sheet/downloads.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column } from '#shared/sheet/sheet.ts'
import { action, exit, type CliCommand, type Invocation } from '../command.ts'
import { sentencesOf, shortMessage, withPublishedReply } from '../failure.ts'
import { recordLines } from '../sheetLines.ts'
import { UsageError } from '../usageError.ts'

const PAGE = 1000

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  options: { all: { type: 'flag', description: text.list.options.all } },
  async run({ client, options, out, signal }) {
    const core = await client()
    const unfinishedStates = ['queued', 'running', 'waiting', 'paused', 'failed'] as const
    const filter = options.all ? {} : { states: [...unfinishedStates] }
    const all: Download[] = []
    for (let total = 1; all.length < total;) {
      const page = await core.call('downloads.list', { filter, offset: all.length, limit: PAGE }, { signal })
      all.push(...page.downloads)
      total = page.downloads.length === 0 ? 0 : page.total
    }
    const { counts, holds } = await core.call('downloads.progress', {}, { signal })
    const published = { counts, holds: holds.map(withPublishedReply), downloads: all.map(publishedDownload) }
    out.result(published, () => recordLines(columns, all, text.list.nothing))
    for (const reason of holds) out.note(noteText.paused(sentencesOf(reason)))
    return exit.done
  },
})

const publishedDownload = (download: Download) => ({
  ...download,
  error: download.error && withPublishedReply(download.error),
})

const { id, state, doneBytes, totalBytes } = downloadColumns
const columns = [
  ...[id, state, ...Object.values(seriesColumns), doneBytes, totalBytes],
  column<Download>('why', 'Why', 'text', ({ error, outcome }) => (error ? shortMessage(error) : outcome)),
]

const everything = { which: { filter: {} } }

const pause = action({
  name: 'pause',
  summary: text.pause.summary,
  run: (invocation) => changeQueue(invocation, 'paused', 'downloads.pause', everything),
})

const resume = action({
  name: 'resume',
  summary: text.resume.summary,
  run: (invocation) => changeQueue(invocation, 'resumed', 'downloads.resume', everything),
})

const idArguments = [{ name: 'ID', description: text.args.ID }]

const cancel = action({
  name: 'cancel',
  summary: text.cancel.summary,
  args: idArguments,
  run: (invocation) => changeQueue(invocation, 'cancelled', 'downloads.cancel', downloadId(invocation.args)),
})

const retry = action({
  name: 'retry',
  summary: text.retry.summary,
  args: idArguments,
  run: (invocation) => changeQueue(invocation, 'retried', 'downloads.retry', downloadId(invocation.args)),
})

function downloadId([text]: readonly string[]) {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(usageText.notId(text))
  return { which: { ids: [Number(text)] } }
}

type ChangeCall = 'downloads.pause' | 'downloads.resume' | 'downloads.cancel' | 'downloads.retry'
type ChangeInput = { which: { ids: number[] } | { filter: Record<never, never> } }

async function changeQueue(
  { client, out, signal }: Pick<Invocation, 'client' | 'out' | 'signal'>,
  change: string,
  name: ChangeCall,
  input: ChangeInput,
) {
  const { jobs } = await (await client()).call(name, input, { signal })
  out.result({ [change]: jobs }, () => [resultText.changed(jobs, change)])
  if (jobs > 0 || !('ids' in input.which)) return exit.done
  out.problem(failureText.notInQueue(input.which.ids[0], change))
  return exit.failed
}

export const command: CliCommand = {
  verb: 'queue',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope queue list', 'perpscope queue pause', 'perpscope queue retry 42'],
  actions: [list, pause, resume, cancel, retry],
}
