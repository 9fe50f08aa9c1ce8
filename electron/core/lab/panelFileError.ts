import { basename } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { codeOf, unopenedText } from '#shared/units/fileKind.ts'

/** Does work on a panel file; turns an error about the file into a `PanelError` that names it. */
export async function withFileName<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PanelError) throw new PanelError(`${basename(path)}: ${error.message}`)
    if (error instanceof AppError && ['corrupt-file', 'bad-input'].includes(error.code)) {
      throw new PanelError(error.detail ?? error.message)
    }
    if (isFileError(error)) throw new PanelError(unopenedText(basename(path), codeOf(error)))
    throw error
  }
}

const isFileError = (error: unknown): boolean => error instanceof Error && 'code' in error && 'syscall' in error
