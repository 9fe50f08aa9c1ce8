import type { GlobalTheme, GlobalThemeOverrides } from 'naive-ui'
import { shallowRef } from 'vue'
import { sizes, type Density } from './applyTheme.ts'
import { tokens, type ThemeName } from './tokens.ts'

/**
 * naive-ui's dark theme, which our own dark theme overrides; null until it is loaded with the first naive-ui control. A
 * starting window shows no such control and does not wait for the theme.
 */
export const naiveBase = shallowRef<GlobalTheme | null>(null)

/** Converts our tokens to the theme of naive-ui, so that its controls match the rest of the window. */
export function naiveTheme(name: ThemeName, density: Density): GlobalThemeOverrides {
  const colour = tokens[name]
  const { controlPx, fontPx } = sizes[density]
  const controlHeight = `${controlPx}px`
  const font = `${fontPx}px`
  return {
    common: {
      fontFamily: 'var(--font)',
      fontFamilyMono: 'var(--font-mono)',
      fontSize: font,
      fontSizeSmall: font,
      fontSizeMedium: font,
      heightSmall: controlHeight,
      heightMedium: controlHeight,
      borderRadius: '3px',
      borderRadiusSmall: '2px',
      primaryColor: colour.accent,
      primaryColorHover: colour.accentHover,
      primaryColorPressed: colour.accentPressed,
      primaryColorSuppl: colour.accentHover,
      errorColor: colour.negative,
      errorColorHover: colour.negative,
      errorColorPressed: colour.negative,
      warningColor: colour.warning,
      successColor: colour.positive,
      textColorBase: colour.text,
      textColor1: colour.text,
      textColor2: colour.text,
      textColor3: colour.textSoft,
      textColorDisabled: colour.textFaint,
      placeholderColor: colour.textFaint,
      iconColor: colour.textFaint,
      iconColorHover: colour.text,
      bodyColor: colour.canvas,
      cardColor: colour.chrome,
      modalColor: colour.chrome,
      popoverColor: colour.raised,
      inputColor: colour.raised,
      inputColorDisabled: colour.chrome,
      tableColor: colour.canvas,
      tableHeaderColor: colour.chrome,
      hoverColor: colour.hover,
      dividerColor: colour.line,
      borderColor: colour.lineControl,
      railColor: colour.lineControl,
      scrollbarColor: colour.lineStrong,
      scrollbarColorHover: colour.lineControl,
      boxShadow1: `0 1px 2px ${colour.shadow}`,
      boxShadow2: `0 6px 24px ${colour.shadow}, 0 0 0 1px ${colour.lineStrong}`,
    },
    Input: {
      border: `1px solid ${colour.lineControl}`,
      borderHover: `1px solid ${colour.textFaint}`,
      borderFocus: `1px solid ${colour.focus}`,
      boxShadowFocus: `0 0 0 1px ${colour.focus}`,
      colorFocus: colour.raised,
      caretColor: colour.focus,
      paddingMedium: '8px',
    },
    Switch: {
      railColor: colour.lineControl,
      railColorActive: colour.accent,
      buttonColor: name === 'dark' ? colour.canvas : colour.raised,
      boxShadowFocus: `0 0 0 2px ${colour.canvas}, 0 0 0 4px ${colour.focus}`,
    },
    Select: {
      peers: {
        InternalSelection: {
          border: `1px solid ${colour.lineControl}`,
          borderHover: `1px solid ${colour.textFaint}`,
          borderActive: `1px solid ${colour.focus}`,
          borderFocus: `1px solid ${colour.focus}`,
          boxShadowActive: `0 0 0 1px ${colour.focus}`,
          boxShadowFocus: `0 0 0 1px ${colour.focus}`,
          colorActive: colour.raised,
          arrowColor: colour.textSoft,
          paddingSingle: '0 22px 0 8px',
        },
        InternalSelectMenu: {
          optionHeightSmall: controlHeight,
          optionHeightMedium: controlHeight,
          paddingSmall: '4px',
        },
      },
    },
    Dropdown: {
      optionHeightMedium: controlHeight,
      optionColorHover: colour.hover,
      padding: '4px',
    },
    Tooltip: { color: colour.raised, textColor: colour.text, padding: '5px 9px' },
  }
}
