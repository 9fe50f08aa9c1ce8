import { resolve } from 'node:path'
import { systemClock } from '#core/ports.ts'
import { FolderInUse, restoreBackup } from '#core/store/backup/restoreBackup.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { itemLines } from '../backupLines.ts'
import { restoreText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'

const restore = action({
  name: '',
  summary: text.summary,
  args: [{ name: 'FILE', description: text.args.FILE, path: true, reads: true }],
  options: { replace: { type: 'flag', description: text.options.replace } },
  async run({ args: [file], options, dataDir, out, signal }) {
    try {
      const deps = { dataDir, clock: systemClock }
      const { kept, ...restored } = await restoreBackup(resolve(file), deps, options.replace, signal)
      out.result(restored, () => [text.done(dataDir), '', ...itemLines(restored.items)])
      if (kept !== null) out.note(text.kept(kept))
      out.note(text.keys)
      return exit.done
    } catch (thrown) {
      if (thrown instanceof FolderInUse) throw new UsageError(text.inUse(dataDir))
      throw thrown
    }
  },
})

export const command: CliCommand = {
  verb: 'restore',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope restore perpscope-2026-11-22.backup',
    'perpscope restore perpscope-2026-11-22.backup --replace --data-dir /srv/perpscope',
  ],
  actions: [restore],
}
