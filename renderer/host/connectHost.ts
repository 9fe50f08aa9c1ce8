import type { DesktopBridge } from '#shared/contract/bridge.ts'
import { connectElectronHost } from './electronHost.ts'
import type { Host } from './host.ts'
import { connectWebHost } from './webHost.ts'

declare global {
  interface Window {
    perpscope?: DesktopBridge
  }
}

export async function connectHost(): Promise<Host> {
  return window.perpscope ? connectElectronHost(window.perpscope) : connectWebHost()
}
