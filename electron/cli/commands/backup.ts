import { resolve } from 'node:path'
import { packInThread } from '#core/store/backup/backupThread.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { itemLines } from '../backupLines.ts'
import { checkTargetFile, writeAtomically } from '../targets.ts'
import { backupText as text } from '../text/commands.ts'
import { version } from '../version.ts'

const backup = action({
  name: '',
  summary: text.summary,
  args: [{ name: 'FILE', description: text.args.FILE, path: true }],
  options: { 'with-data': { type: 'flag', description: text.options.withData } },
  async run({ app, args: [file], options, dataDir, out, signal }) {
    const path = resolve(file)
    checkTargetFile(path, 'FILE')
    const { ledger } = await app()
    // Opening the ledger updates its plain-text copy, which the backup contains.
    for (const notice of ledger().notices.splice(0)) out.note(notice)
    const { bytes, items } = await packInThread(
      { dataDir, app: version, nowMs: Date.now(), withData: options['with-data'] },
      signal,
    )
    // A backup holds everything that the user made, so nobody else may read it.
    writeAtomically(path, bytes, 0o600)
    const written = { file: path, bytes: bytes.length, items }
    out.result(written, () => [
      text.done(plainPlural(written.bytes, 'byte'), written.file),
      '',
      ...itemLines(written.items),
    ])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'backup',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope backup perpscope-2026-11-22.backup'],
  actions: [backup],
}
