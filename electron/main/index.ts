import { app } from 'electron'
import { commandLineOf, runCommandLine } from './launchOptions.ts'
import { startDesktop } from './startDesktop.ts'

const command = commandLineOf(process.argv.slice(app.isPackaged ? 1 : 2))
void (command ? runCommandLine(command) : startDesktop())
