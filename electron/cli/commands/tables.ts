import type { SqlDictionary } from '#shared/contract/areas/sql.ts'
import { cutText } from '#shared/units/fileNames.ts'
import { column } from '#shared/sheet/sheet.ts'
import { exit, soleAction, type CliCommand } from '../command.ts'
import { recordLines } from '../sheetLines.ts'
import { tablesText as text } from '../text/terminalTexts.ts'

type View = SqlDictionary['views'][number]

const columns = [
  column<View>('table', 'Table', 'text', tableName),
  column<View>('columns', 'Columns', 'count', (view) => view.columns.length),
  column<View>('description', 'Description', 'text', ({ description }) => description),
]

export function tableName({ schema, name }: View): string {
  return `${schema}.${name}`
}

export const command: CliCommand = {
  verb: 'tables',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope tables', 'perpscope tables portfolio', 'perpscope tables --json | jq -r ".[].table"'],
  actions: [
    soleAction({
      summary: text.summary,
      args: [{ name: 'WORD', description: text.args.WORD, optional: true }],
      readsOnly: true,
      async run({ client, args, out, signal }) {
        const { views } = await (await client()).call('sql.dictionary', {}, { signal })
        const word = args.at(0)?.toLowerCase() ?? ''
        const found = views.filter((view) => tableName(view).toLowerCase().includes(word))
        if (found.length === 0) out.note(text.none(word))
        const rows = found.map((view) => ({
          table: tableName(view),
          columns: view.columns.length,
          description: view.description,
        }))
        out.result(rows, () =>
          recordLines(columns, found).map((line) => (out.width === null ? line : cutText(line, out.width))),
        )
        return exit.done
      },
    }),
  ],
}
