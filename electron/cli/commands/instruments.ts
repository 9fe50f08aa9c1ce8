import { instrumentsCommandText as text } from '../text/commands.ts'
import { MOST_INSTRUMENT_CHARACTERS } from '#shared/contract/areas/instruments.ts'
import { instrumentTable } from '#shared/contract/instrumentsSheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { importAction } from '../importAction.ts'
import { sectionLines } from '../sheetLines.ts'

const importFile = importAction({
  text: text.import,
  mostCharacters: MOST_INSTRUMENT_CHARACTERS,
  send: (core, content) => core.call('instruments.import', { text: content }),
  line: ({ imported }) => plainPlural(imported, 'row'),
  notes: ({ warnings }) => warnings,
})

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, out }) {
    const core = await client()
    const all = await core.call('instruments.list', {})
    out.result(all, () => sectionLines(instrumentTable(all, text.list.none)))
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'instruments',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope instruments import instruments.csv', 'perpscope instruments list --json'],
  actions: [importFile, list],
}
