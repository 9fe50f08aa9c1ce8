import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import type { ToWindow } from '#shared/contract/protocol.ts'
import { createBridge } from './bridge.ts'
import { reportDroppedFiles } from './droppedFiles.ts'

/** Runs once in each page, before the page's own scripts. */
export function startPreload(page: EventTarget): void {
  // Distinguishes this page from the one before a reload, whose last answers may still be on their way.
  const pageNumber = Math.random()
  ipcRenderer.send(ipcChannels.opened, pageNumber)
  reportDroppedFiles(page)
  const bridge = createBridge({
    send: (message) => ipcRenderer.send(ipcChannels.fromWindow, message),
    // The host outlives its windows: for a page the line never closes.
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
