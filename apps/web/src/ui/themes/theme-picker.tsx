import { t } from '@lingui/core/macro';
import { useSyncExternalStore } from 'react';
import './theme-picker.css';
import { chooseTheme, themeChoice, themeName, watchTheme } from './theme-switch.ts';
import { themes } from './themes.ts';

/** Radio buttons for the themes, each with a preview, and for the system's preference. A change applies immediately. */
export function ThemePicker() {
  const choice = useSyncExternalStore(watchTheme, themeChoice);
  const radio = (id: string) => (
    <input type="radio" name="theme" checked={choice === id} onChange={() => chooseTheme(id)} />
  );
  return (
    <fieldset className="theme-picker">
      <legend className="visually-hidden">{t`Look`}</legend>
      {themes.map(({ id, index }) => (
        <label key={id}>
          <span className="theme-picture" data-theme={id} aria-hidden="true">
            <span />
            <kbd>{index}</kbd>
          </span>
          {radio(id)}
          {themeName(id)}
        </label>
      ))}
      <label className="theme-system">
        {radio('system')}
        {t`Match system`}
      </label>
    </fieldset>
  );
}
