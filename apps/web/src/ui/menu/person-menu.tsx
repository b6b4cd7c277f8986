import { t } from '@lingui/core/macro';
import { IconChevronDown, IconLogout, IconUser } from '@tabler/icons-react';
import { MenuFrame } from './menu.tsx';
import { MenuEntry, MenuSeparator } from './menu-panel.tsx';
import { initialsOf } from '../person/person.tsx';

export type PersonMenuProps = {
  person: { name: string; email: string };
  onSignOut: () => void;
  onProfile: () => void;
};

/** Menu of the signed-in user: profile and sign-out. */
export function PersonMenu({ person, onProfile, onSignOut }: PersonMenuProps) {
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
      <MenuEntry
        label={t`Sign out`}
        icon={<IconLogout size={18} stroke={1.75} aria-hidden="true" />}
        onSelect={onSignOut}
      />
    </MenuFrame>
  );
}
