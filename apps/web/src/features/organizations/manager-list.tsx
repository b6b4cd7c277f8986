import { t } from '@lingui/core/macro';
import type { Membership } from '@vestibule/contract/organizations/mine';
import { Address } from '../../ui/person/person.tsx';
import { RecordList } from '../../ui/record-list.tsx';

/** Managers whom members can ask. */
export function ManagerList({ managers }: { managers: Membership['managers'] }) {
  return (
    <RecordList
      empty={t`There is no manager at present. Ask the administrators of this site.`}
      entries={managers.map(({ id, email, displayName }) => ({
        id,
        text: displayName || email,
        detail: <Address of={email} />,
      }))}
    />
  );
}
