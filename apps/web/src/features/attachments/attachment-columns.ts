import { t } from '@lingui/core/macro';
import {
  sharingModes,
  type Attachment,
  type AttachmentColumn,
  type AttachmentKind,
} from '@vestibule/contract/attachments';
import { formatSize } from '../../language/formats.ts';
import { columnsByName, valuesOf, type GridColumn } from '../../ui/grid/grid-column.ts';
import {
  kindLabels,
  sharedWith,
  sharingLabels,
  statusLabels,
  ownerFilterLabels,
  type OwnerFilter,
} from './attachment-texts.ts';
import { thumbnailOf } from './preview/thumbnails.ts';

const pagePath = 'M6 3h8l4 4v14H6zM14 3v4h4';

/** Icon path data of 24 by 24. */
const kindIcons: Record<AttachmentKind, string> = {
  picture: 'M4 5h16v14H4zM9 10a1.5 1.5 0 1 1-3 0a1.5 1.5 0 0 1 3 0zM5 18l5-5 3 3 2-2 4 4',
  pdf: `${pagePath}M10 17v-6h2.5a1.8 1.8 0 0 1 0 3.6H10`,
  text: `${pagePath}M9 12h6M9 16h6`,
  audio: 'M9 17V6l10-2v11M9 17a3 3 0 1 1-6 0a3 3 0 0 1 6 0zM19 15a3 3 0 1 1-6 0a3 3 0 0 1 6 0z',
  video: 'M3 6h12v12H3zM15 11l6-3v8l-6-3z',
  other: pagePath,
};

/** Administrators also see files that are not shared with them, so only administrators can filter by such files. */
export function attachmentColumns(user: { Id: string; IsAdmin: boolean }): GridColumn<Attachment>[] {
  const { mine, shared, others } = ownerFilterLabels();
  const ownerFilters = { mine, shared, ...(user.IsAdmin && { others }) };
  const statuses = statusLabels();
  return columnsByName<Attachment, Exclude<AttachmentColumn, 'ownerEmail' | 'ownerId'>>({
    name: {
      title: t`Name`,
      kind: 'text',
      icon: ({ kind }) => kindIcons[kind],
      picture: thumbnailOf,
      filter: { kind: 'text' },
      flex: 3,
      minWidth: 208,
    },
    kind: {
      title: t`Type`,
      kind: 'text',
      text: ({ kind }) => kindLabels()[kind],
      filter: { kind: 'set', values: valuesOf(kindLabels()) },
      minWidth: 82,
    },
    size: { title: t`Size`, kind: 'number', format: formatSize, minWidth: 102, narrow: 'detail' },
    ownerName: {
      title: t`Owner`,
      kind: 'person',
      person: ({ id, ownerId, ownerName, ownerEmail }) => ({
        id: ownerId ?? id,
        name: ownerName,
        email: ownerEmail,
      }),
      filter: { kind: 'text' },
      flex: 2.5,
      minWidth: 212,
      narrow: 'detail',
    },
    owner: {
      title: t`Whose`,
      kind: 'text',
      text: (file) => ownerFilterLabels()[ownerFilterOf(file, user.Id)],
      sortable: false,
      filter: { kind: 'set', values: valuesOf(ownerFilters) },
      minWidth: 150,
      hidden: true,
    },
    sharing: {
      title: t`Shared with`,
      kind: 'badge',
      badge: (file) => ({
        ...sharedWith(file),
        tone: file.sharing === sharingModes.private && file.waitedFor.count === 0 ? 'neutral' : 'accent',
      }),
      filter: { kind: 'set', values: valuesOf(sharingLabels()) },
      minWidth: 136,
      narrow: 'hidden',
    },
    createdAt: {
      title: t`Uploaded`,
      kind: 'date-time',
      filter: { kind: 'date' },
      // Space for the title and the arrow of the default sort column.
      minWidth: 168,
      narrow: 'detail',
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status, virus }) =>
        status === 'ready' ? null : { ...statuses[status], ...(virus !== null && { hint: virus }) },
      filter: { kind: 'set', values: valuesOf(statuses) },
      minWidth: 120,
    },
    type: { title: t`Media type`, kind: 'text', filter: { kind: 'text' }, minWidth: 160, hidden: true },
  });
}

function ownerFilterOf({ ownerId, may }: Attachment, userId: string): OwnerFilter {
  if (ownerId === userId) return 'mine';
  return may.open ? 'shared' : 'others';
}
