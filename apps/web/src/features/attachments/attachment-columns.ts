import { t } from '@lingui/core/macro';
import { sharingModes, type Attachment, type AttachmentColumn } from '@vestibule/contract/attachments';
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
import { kindIcons } from './kind-icons.ts';
import { thumbnailOf } from './preview/thumbnails.ts';

/** Administrators also see files that are not shared with them, so only administrators can filter by such files. */
export function attachmentColumns(user: { Id: string; IsAdmin: boolean }): GridColumn<Attachment>[] {
  const { mine, shared, others } = ownerFilterLabels();
  const ownerFilters = { mine, shared, ...(user.IsAdmin && { others }) };
  const statuses = statusLabels();
  return columnsByName<Attachment, Exclude<AttachmentColumn, 'ownerEmail' | 'ownerId'>>({
    name: {
      title: t`Name`,
      kind: 'text',
      text: ({ name }) => name,
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
    size: {
      title: t`Size`,
      kind: 'number',
      number: ({ size }) => size,
      format: formatSize,
      minWidth: 102,
      narrow: 'detail',
    },
    ownerName: {
      title: t`Owner`,
      kind: 'person',
      text: ({ ownerName }) => ownerName,
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
      time: ({ createdAt }) => createdAt,
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
    type: {
      title: t`Media type`,
      kind: 'text',
      text: ({ type }) => type,
      filter: { kind: 'text' },
      minWidth: 160,
      hidden: true,
    },
  });
}

function ownerFilterOf({ ownerId, may }: Attachment, userId: string): OwnerFilter {
  if (ownerId === userId) return 'mine';
  return may.open ? 'shared' : 'others';
}
