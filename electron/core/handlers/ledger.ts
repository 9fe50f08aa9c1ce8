import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { LedgerService } from '#core/lab/ledger/ledgerService.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'

export interface LedgerHandlerDeps {
  ledger: LedgerService
  received: ReceivedFiles
  bus: EventBus
}

export function ledgerHandlers({ ledger, received, bus }: LedgerHandlerDeps): Handlers<CallsOf<'ledger'>> {
  return {
    'ledger.overview': async (_input, { signal }) => {
      const { answer, notices } = await ledger.ask({ work: 'overview' }, signal)
      return { ...answer, notices, copyPath: ledger.copyPath }
    },
    'ledger.family': async ({ family }, { signal }) => (await ledger.ask({ work: 'family', family }, signal)).answer,
    'ledger.reset': ({ reason }) => {
      const sequence = ledger.reset(reason)
      bus.emit('ledger.changed', {})
      return { sequence }
    },
    'ledger.merge': async ({ file }, { signal }) => {
      const path = received.pathOf(file)
      if (path === null) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      received.remove([file])
      const { answer } = await ledger.ask({ work: 'merge', path }, signal)
      bus.emit('ledger.changed', {})
      return answer
    },
    'ledger.verify': async (_input, { signal }) => {
      const { answer, notices } = await ledger.ask({ work: 'verify' }, signal)
      return { ...answer, notices }
    },
  }
}
