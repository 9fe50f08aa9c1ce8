import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { DocumentFolderService } from '#core/documents/documentFolder.ts'

export interface DocumentFolderHandlerDeps {
  service: DocumentFolderService
  bus: EventBus
  /** Unpins the series of a portfolio test if its document is gone, so that the cache may remove them. */
  releaseStudy(id: string): void
}

export function documentFolderHandlers({
  service,
  bus,
  releaseStudy,
}: DocumentFolderHandlerDeps): Handlers<CallsOf<'documents'>> {
  return {
    'documents.list': () => service.sync(),
    'documents.use': async ({ folder }) => {
      const documentsFolder = await service.use(folder)
      bus.emit('documents.changed', {})
      return documentsFolder
    },
    'documents.stop': () => {
      service.stop()
      bus.emit('documents.changed', {})
      return null
    },
    'documents.compare': ({ kind, id }) => service.compare(kind, id),
    'documents.resolve': async (which) => {
      const found = await service.resolve(which)
      if (which.kind === 'study') releaseStudy(which.id)
      return found
    },
  }
}
