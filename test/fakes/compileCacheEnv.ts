/**
 * Environment variable for a program that a test starts from sources: with it, the program reuses code compiled earlier
 * in the run.
 */
export const compileCacheEnv = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
