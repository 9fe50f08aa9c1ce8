/** Sets the dark theme of naive-ui. Every component that uses a control of naive-ui imports it. */
import { darkTheme } from 'naive-ui'
import { naiveBase } from './naiveTheme.ts'

naiveBase.value = darkTheme
