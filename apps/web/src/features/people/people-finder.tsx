/** People in the command palette, with what their menus offer. */
import { t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { listPeople, type PeopleAction } from '@vestibule/contract/people';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder, Finding } from '../../lib/finder.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { actionsOf } from './person-actions.ts';
import { personChanges } from './person-changes.ts';

const fetchPage = fetchPageFrom(listPeople);

const only = (column: string, value: string) => [{ column, is: 'oneOf', values: [value] }];
const filters: Record<PeopleAction, object[]> = {
  makeAdmin: only('role', 'member'),
  makeMember: only('role', 'admin'),
  enable: only('status', 'disabled'),
  disable: only('status', 'active'),
  signOut: only('status', 'active'),
  remove: [],
};

export default function peopleFinder({ user, show, changed }: Finding): Finder {
  const onChanged = () => changed('people');
  return {
    title: t`People`,
    icon: IconUser,
    order: 1,
    verbs: personChanges().map(({ action, label }) => ({ label, filters: filters[action] })),
    async search(question, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, ...question }, signal);
      return rows.map((person) => ({
        id: `person-${person.id}`,
        label: person.displayName || person.email,
        detail: person.displayName ? person.email : undefined,
        name: person.email,
        target: { to: '/layout/people/$personId', params: { personId: person.id } },
        actions: actionsOf(person, {
          ownId: user.Id,
          onChanged,
          onAsk: (asked) =>
            show((onClose) => (
              <ChangeDialog
                {...asked}
                isOneself={person.id === user.Id}
                onClose={() => {
                  onClose();
                  onChanged();
                }}
              />
            )),
        }),
      }));
    },
  };
}
