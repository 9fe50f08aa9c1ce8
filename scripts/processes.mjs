/** Starts the child processes of the scripts. */
import { spawn } from 'node:child_process'

/**
 * Runs a program without input and waits until it ends.
 * @returns {Promise<{status: number, output: string, timedOut: boolean}>} `output` is empty if it went to the terminal
 */
export function runProgram(program, args, { env = process.env, cwd, timeoutMs, show = true } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe']
    const child = spawn(program, args, { env, cwd, stdio })
    let output = ''
    let timedOut = false
    const keep = (chunk) => (output = (output + chunk).slice(-200_000))
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    const limit =
      timeoutMs &&
      setTimeout(() => {
        timedOut = true
        child.kill('SIGKILL')
      }, timeoutMs)
    const finish = (status) => {
      clearTimeout(limit)
      resolve({ status, output, timedOut })
    }
    child.on('error', (error) => {
      output += error.message
      finish(127)
    })
    child.on('close', (code, signal) => finish(code ?? (signal ? 1 : 0)))
  })
}

/** Time within which signals count as the same key press: npm forwards a Ctrl-C that the terminal also delivers. */
const SAME_PRESS_MS = 1000

/**
 * Runs a program in this terminal until it ends, and forwards each signal to it once: a second one would end Electron
 * before the app has closed. The program has a process group of its own, because a terminal signals every process of
 * the group.
 * @returns {Promise<{status: number, interrupted: boolean, seconds: number}>}
 */
export function runInTerminal(program, args, { env = process.env, cwd } = {}) {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const isWindows = process.platform === 'win32'
    let interrupted = false
    const forwardedAt = new Map()
    const forward = (signal) => {
      interrupted = true
      // On Windows the console tells the program itself, and sending a signal would end it at once.
      if (isWindows && signal !== 'SIGTERM') return
      if (performance.now() - (forwardedAt.get(signal) ?? -Infinity) < SAME_PRESS_MS) return
      forwardedAt.set(signal, performance.now())
      child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    // Before the program starts: a signal that came first would end this process, and leave the program running.
    for (const signal of signals) process.on(signal, forward)
    const child = spawn(program, args, { env, cwd, stdio: 'inherit', detached: !isWindows })
    const finish = (status) => {
      for (const signal of signals) process.off(signal, forward)
      resolve({ status, interrupted, seconds: (performance.now() - startedAt) / 1000 })
    }
    child.on('error', () => finish(127))
    child.on('close', (code) => finish(code ?? 1))
  })
}
