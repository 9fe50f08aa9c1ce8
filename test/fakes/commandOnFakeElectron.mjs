/**
 * Runs a built main program (first argument) on the fake Electron as an installed app, with the remaining arguments.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const fake = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: fake, shortCircuit: true } : next(specifier, context),
})

const { app, desktop } = await import(fake)
const [, , main, ...args] = process.argv
process.argv = [process.argv[0], ...args]
desktop.packaged = true
app.exit = (status) => process.exit(status)
await import(pathToFileURL(main).href)
// Now Electron settles its folders, and only then is it ready.
if (!desktop.paths.has('userData')) throw new Error('the command got the folders of the app')
app.beReady()
