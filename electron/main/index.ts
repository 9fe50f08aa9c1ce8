import { app } from 'electron'
import { commandLineOf } from './launchOptions.ts'
import { startDesktop } from './startDesktop.ts'

const command = commandLineOf(process.argv.slice(app.isPackaged ? 1 : 2))
if (command) void import('./commandMode.ts').then(({ runCommandLine }) => runCommandLine(command))
else void startDesktop()
