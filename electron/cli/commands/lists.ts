import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { importAction } from '../importAction.ts'
import { tableLines } from '../print.ts'
import { listedSymbols } from '../symbolLists.ts'
import { listsText as text } from '../text/commands.ts'

const importFile = importAction({
  text: text.import,
  mostCharacters: MOST_LIST_CHARACTERS,
  send: (core, content) => core.call('lists.import', { text: content }),
  line: ({ lists, imported }) => `${plainPlural(lists.length, 'list')} with ${plainPlural(imported, 'symbol')}`,
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ client, connection, out }) {
    const core = await client()
    const { id } = await findConnection(core, connection)
    const all = await listedSymbols(core, id)
    out.result(all, () =>
      all.length === 0
        ? [text.list.none]
        : tableLines([
            ['LIST', 'EXCHANGE', 'SYMBOL', 'GROUP', 'KNOWN'],
            ...all.map((each) => [
              each.list,
              each.exchange,
              each.symbol,
              each.group ?? '',
              each.known ? text.list.known : text.list.unknown,
            ]),
          ]),
    )
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

export const command: Command = {
  verb: 'lists',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope lists import majors.csv', 'perpscope lists list --json'],
  actions: [importFile, list, remove],
}
