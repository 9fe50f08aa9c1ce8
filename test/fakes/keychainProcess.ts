/**
 * Probes the system keychain (`probe`) or also writes and reads a secret (`round-trip`), in its own D-Bus session.
 * Prints one line of JSON.
 */
import { createKeytarVault } from '../../electron/vault/keytarVault.ts'

const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const vault = createKeytarVault()

try {
  await vault.probe()
  if (process.argv[2] === 'round-trip') {
    const secret = 'schlüssel-龙-0123456789'
    await vault.set('c1/metrics', secret)
    const back = await vault.get('c1/metrics')
    const other = await vault.get('c1/portfolio')
    await vault.remove('c1/metrics')
    print({ same: back === secret, other, afterwards: await vault.get('c1/metrics') })
  } else print({ works: true })
} catch (thrown) {
  print({ error: thrown instanceof Error ? thrown.message : String(thrown) })
}
process.exit(0)
