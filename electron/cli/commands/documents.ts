import { resolve } from 'node:path'
import { conflictChoices, documentKinds, type DocumentsFolder } from '#shared/contract/areas/documents.ts'
import { action, type Command, exit, type ExitStatus } from '../command.ts'
import { Failure } from '../failure.ts'
import { type Output, tableLines } from '../print.ts'
import { documentsText as text } from '../text/recordCommands.ts'

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
          ...(rows.length === 0
            ? // A folder that cannot be read may still contain documents.
              [problem === null ? text.list.empty : text.list.unread]
            : tableLines([
                ['KIND', 'NAME', 'FILE', 'STATE', ''],
                ...rows.map(({ kind, name, file, state, detail }) => [kind, name, file ?? '', state, detail ?? '']),
              ])),
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
    return printDocuments(await (await client()).call('documents.use', { folder: resolve(folder) }), out)
  },
})

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ client, out }) {
    return printDocuments(await (await client()).call('documents.list', {}), out)
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
    kind: { type: 'text', value: 'KIND', values: documentKinds, description: text.resolve.options.kind },
  },
  async run({ client, args: [name], options: { keep, kind }, out }) {
    const core = await client()
    const { documents } = await core.call('documents.list', {})
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
    const { seen } = await core.call('documents.compare', reference)
    return printDocuments(await core.call('documents.resolve', { ...reference, choice: keep, seen }), out)
  },
})

const stop = action({
  name: 'stop',
  summary: text.stop.summary,
  async run({ client, out }) {
    await (await client()).call('documents.stop', {})
    out.result({ folder: null }, () => [text.stop.done])
    return exit.done
  },
})

export const command: Command = {
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
