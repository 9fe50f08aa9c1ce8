/** The work's result, or a rejection with these words where it takes longer; the work itself cannot be stopped. */
export async function inTime<Result>(work: () => Promise<Result>, timeoutMs: number, message: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), timeoutMs)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
