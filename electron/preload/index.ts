import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import type { ToWindow } from '#shared/contract/protocol.ts'
import { createBridge } from './bridge.ts'
import { reportDroppedFiles } from './droppedFiles.ts'

ipcRenderer.send(ipcChannels.opened)
reportDroppedFiles(window)
contextBridge.exposeInMainWorld(
  'perpscope',
  createBridge({
    send: (message) => ipcRenderer.send(ipcChannels.fromWindow, message),
    isOpen: () => true,
    onMessage: (listener) =>
      void ipcRenderer.on(ipcChannels.toWindow, (_event, message: ToWindow) => listener(message)),
    // The host outlives its windows.
    onClose: () => {},
  }),
)
