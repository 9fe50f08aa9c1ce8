import { createReadStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { ReadStream } from 'node:tty'

/** Input of a command: a terminal, a pipe or a file. */
export type CommandInput = Readable & { isTTY?: boolean }

/** Kind of source that standard input reads from. */
type StdinKind = 'file' | 'pipe' | 'device'

export interface InputSources {
  stdin: CommandInput
  platform: NodeJS.Platform
  isElectron: boolean
  kindOfStdin(): StdinKind
  openFile(): CommandInput
  openPipe(): CommandInput
  openConsole(): CommandInput
}

/** Path of the Windows console's input; it also works in a program that gets no stdin from its terminal. */
const CONSOLE_INPUT = '\\\\.\\CONIN$'

const systemSources = (): InputSources => ({
  stdin: process.stdin,
  platform: process.platform,
  isElectron: process.versions.electron !== undefined,
  kindOfStdin() {
    try {
      const stats = fstatSync(0)
      if (stats.isFile()) return 'file'
      return stats.isCharacterDevice() ? 'device' : 'pipe'
    } catch {
      // A GUI program gets no stdin handle from a terminal.
      return 'device'
    }
  },
  openFile: () => createReadStream('', { fd: 0, autoClose: false }),
  openPipe: () => new Socket({ fd: 0, readable: true, writable: false }),
  // The console is opened with write access, because reading without echo changes its mode.
  openConsole: () => new ReadStream(openSync(CONSOLE_INPUT, 'r+')),
})

/**
 * Opens the input of a command. On Windows, Electron replaces `process.stdin` by a stream that has ended, so the
 * installed program opens a pipe or a file itself; in any other case it opens the console, because a terminal gives no
 * stdin to a GUI program.
 */
export function openStdin(sources: InputSources = systemSources()): CommandInput {
  const { stdin, platform, isElectron, kindOfStdin, openFile, openPipe, openConsole } = sources
  if (platform !== 'win32' || !isElectron) return stdin
  const kind = kindOfStdin()
  if (kind === 'file') return openFile()
  if (kind === 'pipe') return openPipe()
  try {
    return openConsole()
  } catch {
    // A scheduled task, for example, has no console; its stdin ends without a line.
    return stdin
  }
}
