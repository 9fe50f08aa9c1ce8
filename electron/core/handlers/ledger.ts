import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallContext, CallsOf, Handlers } from '#core/handler.ts'
import { announceScores } from '#core/lab/forward/announceScores.ts'
import type { ForwardService } from '#core/lab/forward/forwardService.ts'
import type { LedgerService } from '#core/lab/ledger/ledgerService.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'

export interface LedgerHandlerDeps {
  ledger: LedgerService
  forward: () => Promise<ForwardService>
  received: ReceivedFiles
  bus: EventBus
}

export function ledgerHandlers({ ledger, forward, received, bus }: LedgerHandlerDeps): Handlers<CallsOf<'ledger'>> {
  /** Scores the days that can be scored now. */
  async function update({ signal, progress }: Pick<CallContext, 'signal' | 'progress'>) {
    const service = await forward()
    const scored = await service.update(signal, (done, total) => progress({ done, total, message: 'runs' }))
    if (scored.days > 0) announceScores(bus)
    return { service, scored }
  }

  return {
    'ledger.overview': async (_input, { signal }) => {
      const { answer, notices } = await ledger.ask({ work: 'overview' }, signal)
      return { ...answer, notices, copyPath: ledger.copyPath }
    },
    'ledger.family': async ({ family }, { signal }) => (await ledger.ask({ work: 'family', family }, signal)).answer,
    'ledger.expectation': async (document, { signal }) =>
      (await ledger.ask({ work: 'expectation', ...document }, signal)).answer,
    'ledger.register': async (registration, { host }) => {
      const who = host.kind === 'command line' ? 'other' : 'window'
      const { sequence, documentHash, family, expect, kill, note, late } = await ledger.register(registration, who)
      bus.emit('ledger.changed', {})
      return { sequence, documentHash, family, expect, kill, note, late }
    },
    'ledger.score': async ({ sequence }, context) => ({
      scores: await (await update(context)).service.scores(sequence, context.signal),
    }),
    'ledger.update': async (_input, context) => (await update(context)).scored,
    'ledger.curve': async ({ hash }, { signal }) => (await forward()).curve(hash, signal),
    'ledger.calibration': async (_input, context) => (await update(context)).service.calibration(context.signal),
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
