import { app } from 'electron'
import { commandLineOf } from './launchOptions.ts'
import { startDesktop } from './startDesktop.ts'

const command = commandLineOf(process.argv.slice(app.isPackaged ? 1 : 2))
if (command) {
  // Awaited, because Electron settles its folders as soon as this module is evaluated, and a command has one of its own.
  const { runCommandLine } = await import('./commandMode.ts')
  void runCommandLine(command)
} else void startDesktop()
