import { t } from '@lingui/core/macro';
import { IconUser } from '@tabler/icons-react';
import { listPeople, type PeopleAction } from '@vestibule/contract/people';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder, FinderContext } from '../../lib/finder.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { actionsOf } from './person-actions.ts';
import { personChanges } from './person-changes.ts';

const fetchPage = fetchPageFrom(listPeople);

/** Matches by name are ranked among this many. */
const maximumNameMatches = 50;

const filterByValue = (column: string, value: string) => [{ column, is: 'oneOf', values: [value] }];
const filters: Record<PeopleAction, object[]> = {
  makeAdmin: filterByValue('role', 'member'),
  makeMember: filterByValue('role', 'admin'),
  enable: filterByValue('status', 'disabled'),
  disable: filterByValue('status', 'active'),
  signOut: filterByValue('status', 'active'),
  remove: [],
};

export default function peopleFinder({ user, show, announceChange }: FinderContext): Finder {
  const onChanged = () => announceChange('people');
  return {
    title: t`People`,
    icon: IconUser,
    order: 1,
    verbs: personChanges().map(({ action, label }) => ({ label, filters: filters[action] })),
    async search(question, signal) {
      const { search, filters: narrowed = [] } = question;
      const byName = { column: 'displayName', is: 'contains', text: search };
      // The newest matches, including those by address, may lack people whose name matches.
      const pages = await Promise.all([
        fetchPage({ offset: 0, limit: 5, ...question }, signal),
        search && fetchPage({ offset: 0, limit: maximumNameMatches, filters: [...narrowed, byName] }, signal),
      ]);
      const people = new Map(pages.flatMap((page) => (page ? page.rows : [])).map((one) => [one.id, one]));
      return [...people.values()].map((person) => ({
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
