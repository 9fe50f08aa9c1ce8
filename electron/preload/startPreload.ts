import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { CallAnswer, DesktopBridge } from '#shared/contract/bridge.ts'
import { createClient } from '#shared/contract/client.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { type CallName, callNames, type EventName, eventNames } from '#shared/contract/names.ts'
import type { Channel, FromWindow, ToWindow } from '#shared/contract/protocol.ts'

/** Runs once in each page, before the page's own scripts. */
export function startPreload(page: EventTarget): void {
  // Distinguishes this page from the one before a reload, whose last answers may still arrive.
  const pageNumber = Math.random()
  ipcRenderer.send(ipcChannels.opened, pageNumber)
  reportDroppedFiles(page)
  const bridge = createBridge({
    send: (message) => ipcRenderer.send(ipcChannels.fromWindow, message),
    // The host outlives its windows, so the connection never closes from the page's view.
    isOpen: () => true,
    onClose: () => {},
    onMessage(listener) {
      ipcRenderer.on(ipcChannels.toWindow, (_event, forPage: number, message: ToWindow) => {
        if (forPage === pageNumber) listener(message)
      })
    },
  })
  contextBridge.exposeInMainWorld('perpscope', bridge)
}

const isCall = (name: unknown): name is CallName => (callNames as readonly unknown[]).includes(name)
const isEvent = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name)

/**
 * Creates the bridge through which a page reaches the core. Errors are passed as values, because a rejection would lose
 * its code on the way into the page.
 */
export function createBridge(channel: Channel<FromWindow, ToWindow>): DesktopBridge {
  const client = createClient(channel)
  return {
    call(name, input, onProgress) {
      const controller = new AbortController()
      const runningCall = isCall(name)
        ? client.call(name, input as never, { signal: controller.signal, ...(onProgress && { onProgress }) })
        : Promise.reject(new AppError('unknown-call'))
      const answer = runningCall.then(
        (value): CallAnswer => ({ ok: true, value }),
        (thrown: unknown): CallAnswer => ({ ok: false, error: toAppError(thrown).toShape() }),
      )
      return { answer, cancel: () => controller.abort() }
    },
    on(name, listener) {
      if (!isEvent(name)) throw new AppError('unsupported', 'There is no such event.')
      return client.on(name, listener as (payload: unknown) => void)
    },
  }
}

/**
 * Tells the host which files were dropped. Only files that the user really dropped have a path; files created by a
 * script have none.
 */
export function reportDroppedFiles(target: EventTarget): void {
  // Without this handler a drop would be refused, or would navigate. Dragged text is left to the page's input fields.
  target.addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault()
  })
  target.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    const files = event.isTrusted ? ((event as DragEvent).dataTransfer?.files ?? []) : []
    const paths = Array.from(files, (file) => webUtils.getPathForFile(file)).filter((path) => path !== '')
    if (paths.length > 0) ipcRenderer.send(ipcChannels.dropped, paths)
  })
}

const hasFiles = (event: Event) => (event as DragEvent).dataTransfer?.types.includes('Files') ?? false
