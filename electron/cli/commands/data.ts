import { resolve } from 'node:path'
import type { CallOutput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import { ownDataTexts } from '#shared/contract/fieldTexts.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { isConfirmed } from '../confirm.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { Failure, messageOf } from '../failure.ts'
import type { Output } from '../print.ts'
import { recordLines } from '../sheetLines.ts'
import { isFromStdin } from '../stdinFile.ts'
import { dataCommandText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'
import { watchPaths } from '../watchPaths.ts'

type Facts = CallOutput<'data.show'>

const onProgress = (out: Output) => (progress: Progress) => out.progress(progress)

const add = action({
  name: 'add',
  summary: text.add.summary,
  args: [
    { name: 'NAME', description: ownDataTexts.name },
    { name: 'FILE', description: text.add.args.FILE, many: true, path: true, reads: true },
  ],
  options: {
    time: { type: 'text', value: 'COL', description: ownDataTexts.time },
    symbol: { type: 'text', value: 'COL', description: ownDataTexts.symbol },
    exchange: { type: 'text', value: 'COL', description: ownDataTexts.exchange },
    interval: { type: 'text', value: 'I', description: ownDataTexts.interval },
    events: { type: 'flag', description: ownDataTexts.events },
    'known-after': { type: 'text', value: 'D', description: ownDataTexts.knownAfter },
    unit: { type: 'repeated', value: 'COL=UNIT', description: ownDataTexts.unit },
    label: { type: 'text', value: 'COL', description: ownDataTexts.label },
    columns: { type: 'list', value: 'A[,B]', description: ownDataTexts.columns },
  },
  interrupted: text.add.interrupted,
  async run({ client, args: [name, ...files], options, out, signal }) {
    if (files.length === 0) throw new UsageError(text.add.noFile)
    const { time, symbol, exchange, interval, events, label, columns } = options
    const core = await client()
    const { added, notes } = await core
      .call(
        'data.add',
        {
          name,
          paths: files.map((file) => resolve(file)),
          ...(time !== undefined && { time }),
          ...(symbol !== undefined && { symbol }),
          ...(exchange !== undefined && { exchange }),
          ...(interval !== undefined && { interval }),
          ...(label !== undefined && { label }),
          ...(columns !== undefined && { columns }),
          ...(options['known-after'] !== undefined && { knownAfter: options['known-after'] }),
          events,
          units: unitsOf(options.unit ?? []),
          once: files.some(isFromStdin),
        },
        { signal, onProgress: onProgress(out) },
      )
      .catch(refusedInOneSentence)
    for (const note of notes) out.note(note)
    out.result(added, () => factLines(added))
    return exit.done
  },
})

/** What is wrong with a file is said in one sentence, which says also where. */
function refusedInOneSentence(thrown: unknown): never {
  if (thrown instanceof AppError && thrown.code === 'bad-input' && thrown.detail) throw new Failure(thrown.detail)
  throw thrown
}

function unitsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.lastIndexOf('=')
      if (at <= 0 || at === each.length - 1) throw new UsageError(text.add.badUnit(each))
      return [each.slice(0, at), each.slice(at + 1)]
    }),
  )
}

const placeText = (place: Facts['symbol'], none: string): string =>
  place === null ? none : 'column' in place ? `column ${place.column}` : place.value

const rowsText = ({ name, rows, duplicates, files }: Facts): string =>
  files.length === 0
    ? text.show.noRows(name)
    : `${rows}${duplicates > 0 ? `, after ${plainPlural(duplicates, 'duplicate')}` : ''}`

const MOST_LISTED = 10

const shortList = (texts: readonly string[]): string =>
  texts.slice(0, MOST_LISTED).join(', ') + (texts.length > MOST_LISTED ? ` and ${texts.length - MOST_LISTED} more` : '')

/** Lines of one dataset: what it is, whose its rows are, and when they are known. */
function factLines(facts: Facts): string[] {
  const { dataset, kind, interval, time, columns, unknownSymbols, leftOut, references } = facts
  const lines: [string, string][] = [
    ['Dataset', dataset],
    ['Rows', rowsText(facts)],
    ...(facts.newRecipe ? [['Recipe', text.show.newRecipe(facts.name)] as [string, string]] : []),
    ['Kind', kind === 'events' ? 'events' : interval === null ? 'regular' : `every ${interval}`],
    ['Time', `column ${time.column} (${text.timeUnits[time.unit]})`],
    ['Symbol', placeText(facts.symbol, text.show.everyInstrument)],
    ['Venue', placeText(facts.exchange, text.show.everyVenue)],
    ['Known', text.show.known(kind, facts.knownAfter)],
    ['Columns', columns.map(({ name, unit }) => `${name} (${unit ?? text.show.noUnit})`).join(', ') || '–'],
    ...(facts.label === null ? [] : [['Label', facts.label] as [string, string]]),
    ['From', facts.firstTime ?? '–'],
    ['To', facts.lastTime ?? '–'],
    ...(unknownSymbols.length === 0 ? [] : [['Unknown', shortList(unknownSymbols)] as [string, string]]),
    ...(leftOut.length === 0 ? [] : [['Left out', leftOut.join(', ')] as [string, string]]),
    ...facts.files.map(({ path, sha256 }): [string, string] => ['File', `${path} (${sha256.slice(0, 12)})`]),
    ...references.map((each): [string, string] => ['Used by', each]),
  ]
  return lines.map(([label, value]) => `${label.padEnd(9)} ${value}`)
}

const listColumns: readonly ReadColumn<CallOutput<'data.list'>[number]>[] = [
  column('name', 'Name', 'text', ({ name }) => name),
  column('kind', 'Kind', 'text', ({ kind, interval }) => interval ?? kind),
  column('knownAfter', 'Known after', 'text', ({ knownAfter }) => knownAfter),
  column('rows', 'Rows', 'count', ({ rows }) => rows),
  column('from', 'From', 'text', ({ firstTime }) => firstTime ?? ''),
  column('to', 'To', 'text', ({ lastTime }) => lastTime ?? ''),
  column('columns', 'Columns', 'text', ({ columns }) => columns.map(({ name }) => name).join(', ')),
]

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, out }) {
    const all = await (await client()).call('data.list', {})
    out.result(all, () => recordLines(listColumns, all, text.list.none))
    return exit.done
  },
})

const nameArgument = { name: 'NAME', description: text.nameArgument } as const

const show = action({
  name: 'show',
  readsOnly: true,
  summary: text.show.summary,
  args: [nameArgument],
  async run({ client, args: [name], out }) {
    const facts = await (await client()).call('data.show', { name })
    out.result(facts, () => factLines(facts))
    return exit.done
  },
})

const refresh = action({
  name: 'refresh',
  summary: text.refresh.summary,
  args: [
    nameArgument,
    { name: 'FILE', description: text.refresh.args.FILE, many: true, optional: true, path: true, reads: true },
  ],
  options: { watch: { type: 'flag', description: text.refresh.options.watch } },
  interrupted: text.refresh.interrupted,
  async run({ client, args: [name, ...moved], options, out, signal }) {
    const core = await client()
    const paths = moved.map((file) => resolve(file))
    const once = async () => {
      const answer = await core
        .call('data.refresh', { name, paths }, { signal, onProgress: onProgress(out) })
        .catch(refusedInOneSentence)
      const { added, changed, removed } = answer
      const document = { version: 1, name, added, changed, removed }
      if (options.watch) out.record(document, () => text.refresh.done(added, changed, removed))
      else out.result(document, () => [text.refresh.done(added, changed, removed)])
      return answer.paths
    }
    const readPaths = await once()
    if (options.watch) await refreshOnChanges(readPaths, once, { out, signal })
    return exit.done
  },
})

/** Time without a change after which changed files are read, because a program writes a file in several steps. */
const QUIET_MS = 1000

/** Refreshes a dataset whenever something at the paths changes, until the user interrupts. */
async function refreshOnChanges(paths: readonly string[], once: () => Promise<unknown>, { out, signal }: Watching) {
  const { promise, reject } = Promise.withResolvers<never>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let reading: Promise<unknown> = Promise.resolve()
  // A file that is refused now may be whole after its next change.
  const onRefused = (thrown: unknown) => {
    if (!signal.aborted) out.note(messageOf(thrown))
  }
  const readSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      watched.update()
      reading = reading.then(once).catch(onRefused)
    }, QUIET_MS)
  }
  const watched = watchPaths(paths, { onChange: readSoon, onError: reject })
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    watched.close()
  }
}

interface Watching {
  out: Output
  signal: AbortSignal
}

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [nameArgument],
  options: { yes: { type: 'flag', description: text.remove.options.yes } },
  async run({ client, args: [name], options, out }) {
    const core = await client()
    const { rows, references } = await core.call('data.show', { name })
    for (const each of references) out.note(text.remove.usedBy(each))
    if (!options.yes && !(await isConfirmed(text.remove.question(name, rows))))
      throw new Failure(text.remove.unconfirmed(name))
    await core.call('data.remove', { name })
    out.result({ version: 1, name, removed: rows }, () => [text.remove.done(name)])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'data',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope data add flows flows/2026-07.csv flows/2026-08.csv --known-after 20m --unit netflow=quote',
    'perpscope data add unlocks unlocks.csv --events --label what --known-after 10d',
    'perpscope data show flows --json',
  ],
  actions: [add, list, show, refresh, remove],
}
