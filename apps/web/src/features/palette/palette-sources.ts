/** What the palette finds on the server: people, invitations, files. Each source is asked with the text and gives places. */
import { t } from '@lingui/core/macro';
import { listAttachments } from '@vestibule/contract/attachments';
import { listInvitations } from '@vestibule/contract/invitations';
import { listPeople } from '@vestibule/contract/people';
import { IconFile, IconMail, IconUser, type TablerIcon } from '@tabler/icons-react';
import { call } from '../../lib/call.ts';
import type { Place } from './recent-choices.ts';

export type Source = {
  title: () => string;
  icon: TablerIcon;
  access?: 'admin';
  search: (text: string, signal: AbortSignal) => Promise<Place[]>;
};

/** Of each source at most these. */
const limit = 5;

export const sources: Source[] = [
  {
    title: () => t`People`,
    icon: IconUser,
    access: 'admin',
    async search(text, signal) {
      const { rows } = await call(listPeople, { query: { search: text, limit }, signal });
      return rows.map(({ id, displayName, email }) => ({
        id: `person-${id}`,
        label: displayName || email,
        detail: displayName ? email : undefined,
        target: { to: '/layout/people/$personId', params: { personId: id } },
      }));
    },
  },
  {
    title: () => t`Invitations`,
    icon: IconMail,
    access: 'admin',
    async search(text, signal) {
      const { rows } = await call(listInvitations, { query: { search: text, limit }, signal });
      return rows.map(({ id, name, email }) => ({
        id: `invitation-${id}`,
        label: email,
        detail: name || undefined,
        target: { to: '/layout/invitations', search: { show: id } },
      }));
    },
  },
  {
    title: () => t`Files`,
    icon: IconFile,
    async search(text, signal) {
      const { rows } = await call(listAttachments, { query: { search: text, limit }, signal });
      return rows.map(({ id, name, ownerName }) => ({
        id: `file-${id}`,
        label: name,
        detail: ownerName || undefined,
        target: { to: '/attachment', search: { file: id } },
      }));
    },
  },
];
