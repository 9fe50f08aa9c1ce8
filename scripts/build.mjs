/** Installs the packages of a checkout and builds it, unless both are up to date; it runs on Node 20. */
import './bootstrap.mjs'
import { build, isBuilt } from './builds.mjs'

if (process.exitCode === 0 && !isBuilt()) process.exitCode = (await build()).status
