import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { importAction } from '../importAction.ts'
import { recordLines } from '../sheetLines.ts'
import { listedSymbols } from '../symbolLists.ts'
import { listsCommandText as text } from '../text/commands.ts'

const importFile = importAction({
  text: text.import,
  mostCharacters: MOST_LIST_CHARACTERS,
  send: (core, content) => core.call('lists.import', { text: content }),
  line: ({ lists, imported }) => `${plainPlural(lists.length, 'list')} with ${plainPlural(imported, 'symbol')}`,
  notes: ({ warnings }) => warnings,
})

const columns: readonly ReadColumn<CallOutput<'lists.list'>[number]>[] = [
  ...fieldColumns({ list: 'List', exchange: 'Venue', symbol: 'Symbol', group: 'Group' }),
  column('known', 'Known', 'text', ({ known }) => (known ? text.list.known : text.list.unknown)),
]

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, connection, out }) {
    const core = await client()
    const { id } = await findConnection(core, connection)
    const all = await listedSymbols(core, id)
    out.result(all, () => recordLines(columns, all, text.list.none))
    return exit.done
  },
})

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [{ name: 'NAME', description: text.remove.args.NAME }],
  async run({ client, args: [name], out }) {
    const answer = await (await client()).call('lists.remove', { name })
    out.result(answer, () => [text.remove.done(name)])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'lists',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope lists import majors.csv', 'perpscope lists list --json'],
  actions: [importFile, list, remove],
}
