import { EventEmitter } from 'node:events'
import type { FakeWebContents } from './electronWindow.ts'

/** Fake of the preload's `ipcRenderer`. Messages are copied and arrive later, as between real processes. */
export class FakeIpcRenderer extends EventEmitter {
  readonly sent: { channel: string; message: unknown }[] = []
  private page: FakeWebContents | null = null
  private readonly main: EventEmitter

  constructor(main: EventEmitter) {
    super()
    this.main = main
  }

  /** Connects the renderer to `page`. */
  serve(page: FakeWebContents): void {
    this.removeAllListeners()
    this.page = page
    page.on('fake:sent', (channel: string, forPage: number, message: unknown) =>
      queueMicrotask(() => this.page === page && this.emit(channel, {}, forPage, message)),
    )
  }

  send(channel: string, message?: unknown): void {
    const copy = structuredClone(message)
    this.sent.push({ channel, message: copy })
    const { page } = this
    queueMicrotask(() => page && this.main.emit(channel, { sender: page, senderFrame: page.mainFrame }, copy))
  }
}
