import { instrumentsText as text } from '../text/commands.ts'
import { MOST_INSTRUMENT_CHARACTERS } from '#shared/contract/areas/instruments.ts'
import { instrumentCells, usedColumns } from '#shared/contract/instrumentsFile.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type Command } from '../command.ts'
import { importAction } from '../importAction.ts'
import { tableLines } from '../print.ts'

const importFile = importAction({
  text: text.import,
  mostCharacters: MOST_INSTRUMENT_CHARACTERS,
  send: (core, content) => core.call('instruments.import', { text: content }),
  line: ({ imported }) => plainPlural(imported, 'row'),
  notes: ({ warnings }) => warnings,
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ client, out }) {
    const core = await client()
    const all = await core.call('instruments.list', {})
    out.result(all, () =>
      all.length === 0
        ? [text.list.none]
        : tableLines([usedColumns(all).map((name) => name.toUpperCase()), ...instrumentCells(all)]),
    )
    return exit.done
  },
})

export const command: Command = {
  verb: 'instruments',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope instruments import instruments.csv', 'perpscope instruments list --json'],
  actions: [importFile, list],
}
