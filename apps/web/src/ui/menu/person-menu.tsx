import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChevronDown, IconLogout, IconUser } from '@tabler/icons-react';
import { useId, useSyncExternalStore } from 'react';
import { MenuFrame } from './menu.tsx';
import { MenuRadioItem, MenuEntry, MenuSeparator } from './menu-panel.tsx';
import { initialsOf } from '../person/person.tsx';
import { chooseTheme, currentTheme, themeName, watchTheme } from '../themes/theme-switch.ts';
import { themes } from '../themes/themes.ts';

export type PersonMenuProps = {
  person: { name: string; email: string };
  onSignOut: () => void;
  onProfile: () => void;
};

/** Menu of the signed-in user: profile, theme and sign-out. */
export function PersonMenu({ person, onProfile, onSignOut }: PersonMenuProps) {
  const titleId = useId();
  const theme = useSyncExternalStore(watchTheme, () => currentTheme().id);
  return (
    <MenuFrame
      button={
        <button type="button" className="person-button">
          <span className="person-initials" aria-hidden="true">
            {initialsOf(person.name || person.email)}
          </span>
          <span className="person-name one-line word-of-picture">{person.name || person.email}</span>
          <IconChevronDown size={16} aria-hidden="true" />
        </button>
      }
    >
      <div className="person-card" role="presentation">
        <strong>{person.name}</strong>
        <span className="small-print">{person.email}</span>
      </div>
      <MenuEntry
        label={t`Profile`}
        icon={<IconUser size={18} stroke={1.75} aria-hidden="true" />}
        onSelect={onProfile}
      />
      <MenuSeparator />
      <div className="menu-title small-print" id={titleId} role="presentation">
        <Trans>
          Theme <span className="of-keys">(Ctrl+Alt+digit)</span>
        </Trans>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a menu holds no fieldset */}
      <div className="person-themes" role="group" aria-labelledby={titleId}>
        {themes.map(({ id, index }) => (
          <MenuRadioItem key={id} checked={theme === id} onSelect={() => chooseTheme(id)}>
            <span className="person-swatch" data-theme={id} aria-hidden="true">
              {index}
            </span>
            <span className="menu-name">{themeName(id)}</span>
          </MenuRadioItem>
        ))}
      </div>
      <MenuSeparator />
      <MenuEntry
        label={t`Sign out`}
        icon={<IconLogout size={18} stroke={1.75} aria-hidden="true" />}
        onSelect={onSignOut}
      />
    </MenuFrame>
  );
}
