/**
 * Sets the fuses of a packed program before the packer signs it; the packer's own option for fuses does not know the
 * newest one. On macOS it also thins universal libraries: the library of the SQL engine then takes 19 MB in the package
 * rather than 37 MB. On Linux it takes from libraries the right to be run, which some of their packages give them.
 */
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Arch } from 'electron-builder'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { thinLibraries } from './thinBinary.mjs'

/** Values of all fuses, so that none depends on Electron's defaults, which may change. */
export const fuses = {
  version: FuseVersion.V1,
  // A fuse that a later Electron adds stops the packing until it is set here.
  strictlyRequireAllFuses: true,
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  // This fuse needs a V8 snapshot of our own, which the app does not have.
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // Without trap handlers WebAssembly checks the bounds of every memory access, which slows down decompression.
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** Runs as electron-builder's hook after packing. */
export default async function setFuses({ appOutDir, arch, electronPlatformName, packager }) {
  const { productFilename } = packager.appInfo
  if (electronPlatformName === 'linux') closeLibraries(join(appOutDir, 'resources', 'app.asar.unpacked'))
  const program = { darwin: `${productFilename}.app`, win32: `${productFilename}.exe` }[electronPlatformName]
  if (electronPlatformName === 'darwin')
    thinLibraries(join(appOutDir, program, 'Contents', 'Resources', 'app.asar.unpacked'), Arch[arch])
  await flipFuses(join(appOutDir, program ?? packager.executableName), {
    ...fuses,
    // Setting fuses breaks the signature, without which Apple silicon runs no program; this makes a new ad-hoc one.
    resetAdHocDarwinSignature: electronPlatformName === 'darwin',
  })
}

function closeLibraries(folder) {
  for (const name of readdirSync(folder, { recursive: true }))
    if (/\.(node|so)$/.test(name)) chmodSync(join(folder, name), 0o644)
}
