import { AppError } from '#shared/contract/errors.ts'

/** A service that is created on first use. */
export interface OnDemand<Service> {
  (): Promise<Service>
  /** Closes the service if it was ever created; later calls are refused. */
  close(): Promise<void>
}

/**
 * Creates a service, and loads its code, on first use, because most runs of the program need few services. A failed
 * creation is retried at the next use.
 */
export function createOnDemand<Service extends object>(create: () => Promise<Service>): OnDemand<Service> {
  let created: Promise<Service> | null = null
  let isClosed = false
  function service(): Promise<Service> {
    if (isClosed) return Promise.reject(new AppError('cancelled', 'The program is closing.'))
    return (created ??= create().catch((thrown: unknown) => {
      created = null
      throw thrown
    }))
  }
  return Object.assign(service, {
    async close() {
      isClosed = true
      // If the service could not be created, the caller that requested it has already received the error.
      const service = await created?.catch(() => null)
      if (service && 'close' in service && typeof service.close === 'function') await service.close()
    },
  })
}
