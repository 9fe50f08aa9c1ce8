/**
 * Loads naive-ui's dark theme, on which our own dark theme is based. Every component with a naive-ui control imports
 * this file.
 */
import { darkTheme } from 'naive-ui'
import { naiveBase } from './naiveTheme.ts'

naiveBase.value = darkTheme
