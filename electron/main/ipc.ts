import { isAbsolute } from 'node:path'
import { ipcMain, type IpcMainEvent, type WebContents } from 'electron'
import type { App } from '#core/app.ts'
import type { Logger, WindowHost } from '#core/ports.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { isAppAddress } from './appProtocol.ts'

const MAX_DROPPED_FILES = 10_000

interface IpcDeps {
  app: Pick<App, 'openSession' | 'receiveFiles'>
  log: Logger
  isOwnWindow(contents: WebContents): boolean
  hostOf(contents: WebContents): WindowHost
  /** Called when a page closes, crashes or is replaced by another one; no intent reaches it from then on. */
  onPageLeft?(contents: WebContents): void
  /** Called when a page shows its first screen and listens. */
  onPageShown?(contents: WebContents): void
}

interface PageConnection {
  receive(message: unknown): void
  send(message: ToWindow): void
  close(): void
}

/** Connects the pages of our own windows with the core; each loaded page has a session of its own. */
export function serveIpc({ app, log, isOwnWindow, hostOf, onPageLeft, onPageShown }: IpcDeps): void {
  const connectionByPage = new Map<WebContents, PageConnection>()

  const close = (contents: WebContents) => {
    connectionByPage.get(contents)?.close()
    connectionByPage.delete(contents)
  }

  /**
   * Listens to messages of a page; those from other frames, and those sent while a window shows a page that is not
   * ours, are ignored.
   */
  const listen = (name: string, serve: (contents: WebContents, message: unknown) => void) =>
    ipcMain.on(name, (event: IpcMainEvent, message: unknown) => {
      const { sender, senderFrame } = event
      const isOurs = isOwnWindow(sender) && senderFrame?.parent === null && isAppAddress(senderFrame.url)
      if (isOurs) serve(sender, message)
      else log.write('warn', `a message on ${name} came from a page that is not ours; it was ignored`)
    })

  const watchedPages = new WeakSet<WebContents>()
  const closeWithItsPage = (contents: WebContents) => {
    if (watchedPages.has(contents)) return
    watchedPages.add(contents)
    const leave = () => {
      close(contents)
      onPageLeft?.(contents)
    }
    contents.once('destroyed', leave)
    contents.on('render-process-gone', leave)
  }

  listen(ipcChannels.opened, (contents, pageNumber) => {
    closeWithItsPage(contents)
    close(contents)
    onPageLeft?.(contents)
    const { connection, channel } = openPageConnection(contents, Number(pageNumber))
    connectionByPage.set(contents, connection)
    app.openSession(channel, hostOf(contents))
  })

  listen(ipcChannels.fromWindow, (contents, message) => {
    const connection = connectionByPage.get(contents)
    if (isWithin(message, MAX_MESSAGE_BYTES)) {
      connection?.receive(message)
      if (isShownCall(message)) onPageShown?.(contents)
      return
    }
    log.write('warn', 'a window sent a message that is too large; it was refused')
    const id = (message as { id?: unknown } | null)?.id
    const error = new AppError('too-large').toShape()
    if (Number.isSafeInteger(id)) connection?.send({ kind: 'error', id: id as number, error })
  })

  listen(ipcChannels.dropped, (_contents, paths) => {
    if (!Array.isArray(paths) || paths.length > MAX_DROPPED_FILES) return
    void app.receiveFiles(paths.filter((path) => typeof path === 'string' && isAbsolute(path)))
  })
}

/** Tells whether a message is the call with which a window reports its first screen. */
const isShownCall = (message: unknown) =>
  (message as { name?: unknown } | null)?.name === ('app.shown' satisfies CallName)

function openPageConnection(
  contents: WebContents,
  pageNumber: number,
): { connection: PageConnection; channel: Channel<ToWindow, unknown> } {
  const messageListeners = new Set<(message: unknown) => void>()
  const closeListeners = new Set<() => void>()
  let isOpen = true
  const send = (message: ToWindow) => {
    if (isOpen && !contents.isDestroyed()) contents.send(ipcChannels.toWindow, pageNumber, message)
  }
  return {
    connection: {
      send,
      receive: (message) => messageListeners.forEach((listener) => listener(message)),
      close() {
        isOpen = false
        for (const listener of closeListeners) listener()
      },
    },
    channel: {
      isOpen: () => isOpen,
      send,
      onMessage: (listener) => void messageListeners.add(listener),
      onClose: (listener) => void closeListeners.add(listener),
    },
  }
}

/** Size limit of a window's message; a larger one is an error or an attack. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

const BYTES_PER_SLOT = 8

/** Estimates whether a received value takes at most `limitBytes`; stops counting at the limit. */
export function isWithin(value: unknown, limitBytes: number): boolean {
  let remainingBytes = limitBytes
  const seen = new Set<object>()
  const unvisitedValues: unknown[] = [value]
  while (unvisitedValues.length > 0 && remainingBytes >= 0) {
    const item = unvisitedValues.pop()
    remainingBytes -= BYTES_PER_SLOT
    if (typeof item === 'string') remainingBytes -= item.length * 2
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) remainingBytes -= item.byteLength
    else if (item instanceof Map || item instanceof Set) remainingBytes -= limitBytes + 1
    else if (Array.isArray(item) && item.length * BYTES_PER_SLOT > remainingBytes) remainingBytes = -1
    else for (const [key, part] of Object.entries(item)) unvisitedValues.push(key, part)
  }
  return remainingBytes >= 0
}
