import { watchColumns as ownNames, type WatchRow } from '#shared/contract/areas/watch.ts'
import { watchColumns } from '#shared/sheet/watch.ts'
import { exit, soleAction, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { recordLines } from '../sheetLines.ts'
import { checkList, listOption } from '../symbolLists.ts'
import { watchCommandText as text } from '../text/commands.ts'
import { noteText, usageText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

const watch = soleAction({
  summary: text.run.summary,
  options: {
    list: { ...listOption, description: text.run.options.list },
    columns: { type: 'repeated', value: 'NAME=FORMULA,…', description: text.run.options.columns },
  },
  readsOnly: true,
  async run({ client, connection, options, out, signal }) {
    const columns = (options.columns ?? []).flatMap(readColumns)
    const names = columns.map(({ name }) => name)
    const duplicate = names.find(
      (name, index) => names.indexOf(name) < index || ownNames.some((known) => known === name),
    )
    if (duplicate !== undefined) throw new UsageError(usageText.columnTwice(duplicate))
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    await checkList(core, connectionId, options, out)
    const query = { connectionId, list: options.list, columns }
    const { rows, unknownFunding } = await core.call('watch.rows', query, { signal })
    out.result(
      rows.map((row) => recordOf(row, names)),
      () => recordLines(watchColumns(columns), rows, text.run.nothing),
    )
    if (unknownFunding.length > 0)
      out.note(noteText.warning(text.run.unknownPeriods(unknownFunding.length, rows.length)))
    return exit.done
  },
})

function recordOf({ values, ...row }: WatchRow, names: readonly string[]) {
  const ownCells = ownNames.map((name) => [name, row[name]] as const)
  return Object.fromEntries([...ownCells, ...names.map((name, index) => [name, values[index]] as const)])
}

/** Splits columns at the commas outside brackets, because commas inside belong to formulas. */
function readColumns(given: string): { name: string; formula: string }[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const character of given) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
    if (character === ',' && depth === 0) {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part].map((text) => {
    const equalsAt = text.indexOf('=')
    const [name, formula] = [text.slice(0, equalsAt).trim(), text.slice(equalsAt + 1).trim()]
    if (equalsAt < 1 || name === '' || formula === '') throw new UsageError(usageText.notColumn(text))
    return { name, formula }
  })
}

export const command: CliCommand = {
  verb: 'watch',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope watch --list majors',
    "perpscope watch --columns 'spread=l1_price.ask_price - l1_price.bid_price' --json",
  ],
  actions: [watch],
}
