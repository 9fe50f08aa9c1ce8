import { resolve } from 'node:path'
import { conflictChoices, type DocumentsFolder } from '#shared/contract/areas/folder.ts'
import { folderKindNames } from '#shared/contract/documents/kindNames.ts'
import { fieldColumns } from '#shared/sheet/sheet.ts'
import { action, type CliCommand, exit, type ExitStatus } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Output } from '../print.ts'
import { recordLines } from '../sheetLines.ts'
import { documentsCommandText as text } from '../text/recordCommands.ts'

const columns = fieldColumns({ kind: 'Kind', name: 'Name', file: 'File', state: 'State', detail: 'Detail' })

/**
 * Prints the documents with their states; throws if their folder cannot be read.
 * @returns exit status 3 if a document needs the user's attention, else 0
 */
function printDocuments({ folder, problem, documents }: DocumentsFolder, out: Output): ExitStatus {
  const rows = documents.map(({ kind, id, name, file, state, detail }) => ({ kind, id, name, file, state, detail }))
  out.result(rows, () =>
    folder === null
      ? [text.list.none]
      : [
          folder,
          '',
          // A folder that cannot be read may still contain documents.
          ...recordLines(columns, rows, problem === null ? text.list.empty : text.list.unread),
        ],
  )
  if (problem !== null) throw new Failure(problem)
  if (documents.some(({ state }) => state !== 'ok')) return exit.partial
  return exit.done
}

const use = action({
  name: 'use',
  summary: text.use.summary,
  args: [{ name: 'FOLDER', description: text.use.args.FOLDER, path: true }],
  async run({ client, args: [folder], out }) {
    return printDocuments(await (await client()).call('folder.use', { folder: resolve(folder) }), out)
  },
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ client, out }) {
    return printDocuments(await (await client()).call('folder.list', {}), out)
  },
})

const resolveConflict = action({
  name: 'resolve',
  summary: text.resolve.summary,
  args: [{ name: 'NAME', description: text.resolve.args.NAME }],
  options: {
    keep: {
      type: 'text',
      value: 'SIDE',
      values: conflictChoices,
      required: true,
      description: text.resolve.options.keep,
    },
    kind: { type: 'text', value: 'KIND', values: folderKindNames, description: text.resolve.options.kind },
  },
  async run({ client, args: [name], options: { keep, kind }, out }) {
    const core = await client()
    const { documents } = await core.call('folder.list', {})
    const matches = documents.filter(
      (each) =>
        each.conflict !== null &&
        (each.name === name || each.file === name) &&
        (kind === undefined || each.kind === kind),
    )
    const [match] = matches
    if (!match || match.id === null) throw new Failure(text.resolve.none(name))
    if (matches.length > 1)
      throw new Failure(text.resolve.several(name, [...new Set(matches.map((each) => each.kind))]))
    const reference = { kind: match.kind, id: match.id }
    const { seen } = await core.call('folder.compare', reference)
    return printDocuments(await core.call('folder.resolve', { ...reference, choice: keep, seen }), out)
  },
})

const stop = action({
  name: 'stop',
  summary: text.stop.summary,
  async run({ client, out }) {
    await (await client()).call('folder.stop', {})
    out.result({ folder: null }, () => [text.stop.done])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'documents',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope documents use ~/team/perpscope',
    'perpscope documents list --json',
    'perpscope documents resolve Morning --keep mine',
  ],
  actions: [use, list, resolveConflict, stop],
}
