import { systemClock, type Ports } from '#core/ports.ts'

const noKeychain = async (): Promise<never> => {
  throw new Error('The system keychain is not connected yet.')
}

/** What the desktop gives the core. */
export function desktopPorts(dataDir: string): Ports {
  void dataDir
  return {
    vault: { name: 'System keychain', probe: noKeychain, get: noKeychain, set: noKeychain, remove: noKeychain },
    log: { write: (level, message) => void process.stderr.write(`${level} ${message}\n`) },
    clock: systemClock,
  }
}
