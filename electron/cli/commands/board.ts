import type { BoardDocument, BoardParameters } from '#shared/contract/areas/boards.ts'
import type { Client } from '#shared/contract/client.ts'
import { withParameters } from '#shared/contract/playbooks/parameters.ts'
import { type Playbook, playbookJobs, playbooksFor } from '#shared/contract/playbooks/playbooks.ts'
import { leadingSymbol } from '#shared/lab/kinds/readyGround.ts'
import { fieldColumns } from '#shared/sheet/sheet.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { recordLines } from '../sheetLines.ts'
import { nearest } from '../suggest.ts'
import { boardCommandText as text } from '../text/recordCommands.ts'
import { UsageError } from '../usageError.ts'

/** Playbooks of one job stand together, as the window shows them. */
const jobPlace = ({ job }: Playbook): number => Object.keys(playbookJobs).indexOf(job)

const columns = fieldColumns({ name: 'Name', kind: 'Kind', about: 'About' })

/** Playbooks of a connection, for its first venue. */
async function playbooksOf(core: Client, connectionId: string) {
  const [first] = await core.call('connections.venues', { id: connectionId })
  const portfolio = 'momentum_ls.20'
  return playbooksFor({ venue: first?.id ?? null, symbol: leadingSymbol([]), portfolio, nowMs: Date.now() })
}

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, connection, out }) {
    const core = await client()
    const { id } = await findConnection(core, connection)
    const boards = await core.call('documents.list', { kind: 'board' })
    const playbooks = (await playbooksOf(core, id)).toSorted((one, other) => jobPlace(one) - jobPlace(other))
    const rows = [
      ...boards.map(({ name, parts }) => ({ name, kind: text.board, about: text.parts(parts) })),
      ...playbooks.map(({ name, description }) => ({ name, kind: text.playbook, about: description })),
    ]
    out.result(rows, () => recordLines(columns, rows, text.list.none))
    return exit.done
  },
})

/** Reads NAME=VALUE texts as parameters of a board, which must have them. */
function changesOf(given: readonly string[], { parameters = {} }: BoardDocument): Partial<BoardParameters> {
  const known = Object.keys(parameters)
  return Object.fromEntries(
    given
      .flatMap((all) => all.split(','))
      .map((each) => {
        const [name, ...rest] = each.split('=')
        const value = rest.join('=').trim()
        const key = name.trim()
        if (!known.includes(key) || value === '') throw new UsageError(text.new.wrongParameter(each, known))
        if (key !== 'days') return [key, value]
        if (!/^[1-9]\d{0,3}$/.test(value)) throw new UsageError(text.new.wrongDays(value))
        return [key, Number(value)]
      }),
  )
}

const create = action({
  name: 'new',
  summary: text.new.summary,
  args: [{ name: 'NAME', description: text.new.args.NAME, optional: true }],
  options: {
    from: { type: 'text', value: 'NAME', required: true, description: text.new.options.from },
    set: { type: 'repeated', value: 'NAME=VALUE,…', description: text.new.options.set },
  },
  async run({ client, connection, args, options, out }) {
    const core = await client()
    const { id } = await findConnection(core, connection)
    const template = await templateOf(core, id, options.from)
    const document = withParameters(template.document, changesOf(options.set ?? [], template.document), Date.now())
    const created = await core.call('documents.create', { kind: 'board', name: args.at(0) ?? template.name, document })
    const result = { id: created.id, name: created.name, parameters: document.parameters ?? {} }
    out.result(result, () => [text.new.created(created.name)])
    return exit.done
  },
})

/** Finds a playbook or a board of the user by its name. */
async function templateOf(
  core: Client,
  connectionId: string,
  given: string,
): Promise<{ name: string; document: BoardDocument }> {
  const playbooks = await playbooksOf(core, connectionId)
  const boards = await core.call('documents.list', { kind: 'board' })
  const own = boards.find(({ name }) => name === given)
  if (own) return core.call('documents.read', { kind: 'board', id: own.id })
  const ready = playbooks.find(({ name, id }) => name.toLowerCase() === given.toLowerCase() || id === given)
  if (ready) return ready
  const names = [...boards, ...playbooks].map(({ name }) => name)
  throw new Failure(text.new.none(given, nearest(given, names) ?? null))
}

export const command: CliCommand = {
  verb: 'board',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope board list',
    'perpscope board new --from crowding --set symbol=perpetual-ETH-USDT:USDT,days=60',
    'perpscope report board Crowding --out crowding.html',
  ],
  actions: [list, create],
}
