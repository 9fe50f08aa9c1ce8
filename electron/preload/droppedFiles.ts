import { ipcRenderer, webUtils } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'

/** Tells the host which files were dropped. Only what the person really dropped has a path; what a script made has none. */
export function reportDroppedFiles(target: EventTarget): void {
  // Without this a drop would be refused, or would navigate.
  target.addEventListener('dragover', (event) => event.preventDefault())
  target.addEventListener('drop', (event) => {
    event.preventDefault()
    const files = event.isTrusted ? ((event as DragEvent).dataTransfer?.files ?? []) : []
    const paths = Array.from(files, (file) => webUtils.getPathForFile(file)).filter((path) => path !== '')
    if (paths.length > 0) ipcRenderer.send(ipcChannels.dropped, paths)
  })
}
