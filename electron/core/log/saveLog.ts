import type { Logger, WindowHost } from '#core/ports.ts'

/** Wraps a host so that every file or folder that a call saves outside Perpscope is logged. */
export function withSaveLog(host: WindowHost, call: string, log: Logger): WindowHost {
  const note = (name: string, path: string | null) =>
    log.write('info', `exported ${name} to ${path ?? 'the browser'} (${call}, ${host.kind})`)
  const { saveFolder } = host
  return {
    ...host,
    async save(file, open) {
      const saved = await host.save(file, open)
      if (saved) note(saved.name, saved.path)
      return saved
    },
    ...(saveFolder && {
      async saveFolder(name: string, write: (folder: string) => Promise<void>) {
        const saved = await saveFolder(name, write)
        note(saved.name, saved.path)
        return saved
      },
    }),
  }
}
