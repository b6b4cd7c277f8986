import { Trans } from '@lingui/react/macro';
import { Menu as MantineMenu } from '@mantine/core';
import { IconChevronDown, IconLogout, IconUser } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { inLanguage } from '../language/known-texts.ts';
import { MenuFrame } from './menu.tsx';
import { chooseTheme, currentTheme, watchTheme } from './theme-switch.ts';
import { themes } from './themes.ts';

/** What `PersonMenu` takes. */
export interface PersonMenuProps {
  person: { name: string; email: string };
  onSignOut: () => void;
  /** Leads to the person's own screen. */
  onProfile: () => void;
}

/** Who is signed in, the ten themes, and the way out. */
export function PersonMenu({ person, onProfile, onSignOut }: PersonMenuProps) {
  const theme = useSyncExternalStore(watchTheme, () => currentTheme().id);
  return (
    <MenuFrame
      target={
        <button type="button" className="person-button">
          <span className="person-initials" aria-hidden="true">
            {initialsOf(person.name || person.email)}
          </span>
          <span className="person-name">{person.name || person.email}</span>
          <IconChevronDown size={16} aria-hidden="true" />
        </button>
      }
    >
      <div className="person-card" role="presentation">
        <strong>{person.name}</strong>
        <span>{person.email}</span>
      </div>
      <MantineMenu.Item
        className="menu-entry"
        leftSection={<IconUser size={18} stroke={1.75} aria-hidden="true" />}
        onClick={onProfile}
      >
        <Trans>Profile</Trans>
      </MantineMenu.Item>
      <MantineMenu.Divider />
      <MantineMenu.Label>
        <Trans>
          Theme <span className="of-keys">(Ctrl+Alt+digit)</span>
        </Trans>
      </MantineMenu.Label>
      <MantineMenu.RadioGroup value={theme} onChange={chooseTheme}>
        <div className="person-themes" role="presentation">
          {themes.map(({ id, name, index }) => (
            <MantineMenu.RadioItem key={id} value={id} className="menu-entry" closeMenuOnClick={false}>
              <span className="person-theme">
                <span className="person-swatch" data-theme={id} aria-hidden="true">
                  {index}
                </span>
                {inLanguage(name)}
              </span>
            </MantineMenu.RadioItem>
          ))}
        </div>
      </MantineMenu.RadioGroup>
      <MantineMenu.Divider />
      <MantineMenu.Item
        className="menu-entry"
        leftSection={<IconLogout size={18} stroke={1.75} aria-hidden="true" />}
        onClick={onSignOut}
      >
        <Trans>Sign out</Trans>
      </MantineMenu.Item>
    </MenuFrame>
  );
}

/** Up to two letters that stand for a person: of the first and the last word of a name. */
function initialsOf(name: string): string {
  const words = name.trim().split(/[\s@.]+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
    String.fromCodePoint(word?.codePointAt(0) ?? 0x20),
  );
  return letters.join('').trim().toUpperCase();
}
