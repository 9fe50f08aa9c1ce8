import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Keyring } from '#core/keys/keyring.ts'

export function vaultHandlers(keyring: Keyring, bus: EventBus): Handlers<CallsOf<'vault'>> {
  return {
    'vault.status': async ({ probeAgain }) => {
      const status = await keyring.vaultStatus(probeAgain)
      if (probeAgain) bus.emit('vault.changed', status)
      return status
    },
  }
}
