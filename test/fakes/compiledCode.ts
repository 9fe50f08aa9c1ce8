/** For a program that starts from sources in an environment of its own: the code that other programs of this run have compiled. */
export const compiledCode = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
