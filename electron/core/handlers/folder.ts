import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { DocumentFolderService } from '#core/documents/documentFolder.ts'

export interface FolderHandlerDeps {
  service: DocumentFolderService
  bus: EventBus
  /** Unpins the series of a portfolio test if its document is gone, so that the cache may remove them. */
  releaseStudy(id: string): void
}

export function folderHandlers({ service, bus, releaseStudy }: FolderHandlerDeps): Handlers<CallsOf<'folder'>> {
  return {
    'folder.list': () => service.sync(),
    'folder.use': async ({ folder }) => {
      const documentsFolder = await service.use(folder)
      bus.emit('folder.changed', {})
      return documentsFolder
    },
    'folder.stop': () => {
      service.stop()
      bus.emit('folder.changed', {})
      return null
    },
    'folder.compare': ({ kind, id }) => service.compare(kind, id),
    'folder.resolve': async (which) => {
      const found = await service.resolve(which)
      if (which.kind === 'study') releaseStudy(which.id)
      return found
    },
  }
}
