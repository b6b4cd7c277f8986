import { createTheme, iconSetQuartzRegular } from 'ag-grid-community';

/** AG Grid in our tokens: its own variables point at ours, so that a change of theme needs nothing from it. */
export const gridTheme = createTheme()
  .withPart(iconSetQuartzRegular)
  .withParams({
    accentColor: 'var(--accent)',
    backgroundColor: 'var(--surface-raised)',
    foregroundColor: 'var(--text)',
    textColor: 'var(--text)',
    subtleTextColor: 'var(--text-muted)',
    borderColor: 'var(--line)',
    chromeBackgroundColor: 'var(--surface-sunken)',
    browserColorScheme: 'inherit',
    invalidColor: 'var(--danger)',
    fontFamily: 'inherit',
    fontSize: '14px',
    spacing: '8px',
    rowHeight: '44px',
    headerHeight: '42px',
    cellHorizontalPadding: '12px',
    wrapperBorder: false,
    wrapperBorderRadius: '0px',
    headerBackgroundColor: 'var(--surface-raised)',
    headerTextColor: 'var(--text-muted)',
    headerFontWeight: 560,
    headerFontSize: '13px',
    headerRowBorder: { color: 'var(--line)' },
    rowBorder: { color: 'var(--line)' },
    rowHoverColor: 'var(--surface-hover)',
    oddRowBackgroundColor: 'var(--surface-raised)',
    selectedRowBackgroundColor: 'var(--accent-soft)',
    headerColumnResizeHandleColor: 'var(--line)',
    rangeSelectionBorderColor: 'var(--focus)',
    iconColor: 'var(--text-muted)',
    menuBackgroundColor: 'var(--surface-raised)',
    menuTextColor: 'var(--text)',
    focusShadow: '0 0 0 2px var(--focus)',
  });
