/**
 * Makes this process look like Electron on Windows, where Electron puts an ended stream in place of stdin. Load it with
 * `--import`.
 */
import { Readable } from 'node:stream'

const stdin = new Readable()
stdin.push(null)
Object.defineProperty(process, 'stdin', { get: () => stdin })
Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '45.0.0' } })
Object.defineProperty(process, 'platform', { value: 'win32' })
