/**
 * Sets the fuses of a packed program, and thins its libraries on macOS: that of the SQL engine is for both processors, and 37 MB
 * packed instead of 19. The packer runs this before it signs; its own setting of fuses does not know the newest one.
 */
import { join } from 'node:path'
import { Arch } from 'electron-builder'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { thinLibraries } from './thinBinary.mjs'

/** Every fuse is set here, so that no later default of Electron decides. */
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
  // Without trap handlers every access to the memory of WebAssembly is checked one by one, which slows down decompression.
  [FuseV1Options.WasmTrapHandlers]: true,
}

/** @param context what electron-builder tells of a packed folder */
export default async function setFuses({ appOutDir, arch, electronPlatformName, packager }) {
  const { productFilename } = packager.appInfo
  const program = { darwin: `${productFilename}.app`, win32: `${productFilename}.exe` }[electronPlatformName]
  if (electronPlatformName === 'darwin')
    thinLibraries(join(appOutDir, program, 'Contents', 'Resources', 'app.asar.unpacked'), Arch[arch])
  await flipFuses(join(appOutDir, program ?? packager.executableName), {
    ...fuses,
    // Setting fuses breaks the signature that Apple silicon requires; this renews it if nobody signs the app.
    resetAdHocDarwinSignature: electronPlatformName === 'darwin',
  })
}
