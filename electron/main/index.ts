import { app } from 'electron'
import { commandLineOf } from './launchOptions.ts'
import { startDesktop } from './startDesktop.ts'

const command = commandLineOf(process.argv.slice(app.isPackaged ? 1 : 2))
if (command) {
  // The import is awaited, because Electron chooses its folders once this module is evaluated, and a command uses a
  // folder of its own.
  const { runCommandLine } = await import('./commandMode.ts')
  void runCommandLine(command)
} else void startDesktop()
