import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { FAILED, runProgram } from '../cli/runProgram.ts'
import { startUtilityProcess } from './utilityProcess.ts'
import { terminalText } from '#shared/units/terminalText.ts'

/**
 * Runs one command without a window and exits with its status. Everything before the first await must run before
 * Electron is ready.
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const chromiumDir = useTemporaryChromiumFolder()
  const end = (status: number) => {
    removeFolder(chromiumDir)
    app.exit(status)
  }
  // Without these listeners Electron would show a dialog, which nobody can answer in a terminal or a script.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (thrown: unknown) => {
      process.stderr.write(`perpscope: ${terminalText(messageOf(thrown))}\n`, () => end(FAILED))
    })
  app.dock?.hide()
  forwardOpenings()
  // Chromium handles the system's signals itself and asks the app to quit.
  app.on('before-quit', (event) => {
    event.preventDefault()
    process.emit('SIGINT', 'SIGINT')
  })
  // Electron cannot start utility processes earlier.
  await app.whenReady()
  end(await runProgram(argv, { startProcess: startUtilityProcess }))
}

/**
 * Gives Chromium a temporary folder for this run, because on some systems its default is the app's data folder, where a
 * command must not leave browser files.
 */
function useTemporaryChromiumFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-chromium-'))
  app.setPath('userData', folder)
  app.setPath('sessionData', folder)
  return folder
}

/** Removes Chromium's folder; Windows refuses that while Chromium has a file in it open. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Chromium's files stay in the system's temporary folder.
  }
}

/** Opens in the app what macOS passes to this process, because macOS takes a running command for the app. */
function forwardOpenings(): void {
  const startApp = (...openings: string[]) =>
    spawn(process.execPath, openings, { detached: true, stdio: 'ignore' }).unref()
  app.on('open-file', (event, path) => {
    event.preventDefault()
    startApp(path)
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    startApp(url)
  })
  app.on('activate', () => startApp())
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown))
