import { resolve } from 'node:path'
import { writeBackup } from '#core/store/backup/backupFile.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, type Command, exit } from '../command.ts'
import { itemLines } from '../backupLines.ts'
import { checkTargetFile } from '../targets.ts'
import { backupText as text } from '../text/commands.ts'
import { version } from '../version.ts'

const backup = action({
  name: '',
  summary: text.summary,
  args: [{ name: 'FILE', description: text.args.FILE, path: true }],
  async run({ app, args: [file], dataDir, out }) {
    const path = resolve(file)
    checkTargetFile(path, 'FILE')
    const { ledger } = await app()
    // Opening the ledger updates its plain-text copy, which the backup contains.
    for (const notice of ledger().notices.splice(0)) out.note(notice)
    const written = writeBackup(dataDir, path, version, Date.now())
    out.result(written, () => [
      text.done(plainPlural(written.bytes, 'byte'), written.file),
      '',
      ...itemLines(written.items),
    ])
    return exit.done
  },
})

export const command: Command = {
  verb: 'backup',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope backup perpscope-2026-11-22.backup'],
  actions: [backup],
}
