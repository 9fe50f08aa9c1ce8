import { catalogText as text } from '../text/commands.ts'
import type { ServiceDataset } from '#shared/contract/areas/discovery.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { freshnessNote } from '../freshnessNote.ts'
import { tableLines } from '../print.ts'

export const command: Command = {
  verb: 'catalog',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope catalog', "perpscope catalog --json | jq -r '.datasets[].id'"],
  actions: [
    action({
      name: '',
      summary: text.run.summary,
      options: { refresh: { type: 'flag', description: text.run.options.refresh } },
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const answer = await core.call('discovery.catalog', { connectionId, refresh: options.refresh }, { signal })
        out.result({ datasets: answer.datasets, learned: answer.freshness }, () =>
          tableLines([['DATASET', 'CATEGORY', 'COLUMNS', 'NAME'], ...answer.datasets.map(rowOf)]),
        )
        out.note(freshnessNote(answer.freshness))
        return exit.done
      },
    }),
  ],
}

const rowOf = ({ id, category, fields, name }: ServiceDataset) => [id, category, String(fields.length), name]
