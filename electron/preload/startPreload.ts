import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import type { ToWindow } from '#shared/contract/protocol.ts'
import { createBridge } from './bridge.ts'
import { reportDroppedFiles } from './droppedFiles.ts'

/** Runs once in each page, before the page's own scripts. */
export function startPreload(page: EventTarget): void {
  ipcRenderer.send(ipcChannels.opened)
  reportDroppedFiles(page)
  const bridge = createBridge({
    send: (message) => ipcRenderer.send(ipcChannels.fromWindow, message),
    // The host outlives its windows: for a page the line never closes.
    isOpen: () => true,
    onClose: () => {},
    onMessage: (listener) =>
      void ipcRenderer.on(ipcChannels.toWindow, (_event, message: ToWindow) => listener(message)),
  })
  contextBridge.exposeInMainWorld('perpscope', bridge)
}
