/** Texts about files: sizes, types, states and sharing. */
import { plural, t } from '@lingui/core/macro';
import {
  sharingModes,
  type Attachment,
  type AttachmentKind,
  type AttachmentStatus,
  type Sharing,
} from '@vestibule/contract/attachments';
import { formatNumber } from '../../language/formats.ts';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';

/** Formats a duration such as "2 minutes", rounded up. */
export function durationText(seconds: number): string {
  const text = (number: number, unit: 'second' | 'minute' | 'hour') =>
    formatNumber(Math.ceil(number), { style: 'unit', unit, unitDisplay: 'long' });
  if (seconds < 90) return text(Math.max(1, Math.ceil(seconds / 5)) * 5, 'second');
  return seconds < 90 * 60 ? text(seconds / 60, 'minute') : text(seconds / 3600, 'hour');
}

export const countOf = (files: number): string => plural(files, { one: '# file', other: '# files' });

export const kindLabels = (): Record<AttachmentKind, string> => ({
  picture: t`Picture`,
  pdf: t`PDF`,
  text: t`Text`,
  audio: t`Audio`,
  video: t`Video`,
  other: t`Other`,
});

export const sharingLabels = (): Record<Sharing, string> => ({
  [sharingModes.private]: t`No one`,
  [sharingModes.everyone]: t`Everyone`,
  [sharingModes.people]: t`Specific people`,
});

type Audience = Pick<Attachment, 'sharing' | 'sharedCount' | 'waitedFor'>;

/** Describes the audience briefly. `hint` names invited people who have not joined. */
export function sharedWith(file: Audience): { label: string; hint?: string } {
  const { count } = file.waitedFor;
  if (count === 0) return { label: audienceLabel(file) };
  const invited = plural(count, { one: '# invited', other: '# invited' });
  return {
    label: file.sharing === sharingModes.private ? invited : `${audienceLabel(file)}, ${invited}`,
    hint: describeInvitees(file),
  };
}

const audienceLabel = ({ sharing, sharedCount }: Audience): string =>
  sharing === sharingModes.people
    ? plural(sharedCount, { one: '# person', other: '# people' })
    : sharingLabels()[sharing];

/** Describes the audience as part of a list of facts. */
export function describeAudience(file: Audience): string {
  const { count } = file.waitedFor;
  if (count === 0) return describeShares(file);
  return file.sharing === sharingModes.private
    ? describeInvitees(file)
    : `${describeShares(file)}, ${describeInvitees(file)}`;
}

function describeShares(file: Audience): string {
  switch (file.sharing) {
    case sharingModes.private:
      return t`not shared`;
    case sharingModes.everyone:
      return t`shared with everyone`;
    case sharingModes.people:
      return plural(file.sharedCount, { one: 'shared with # person', other: 'shared with # people' });
  }
}

/** Names people who get access when they accept their invitation. */
function describeInvitees({ waitedFor: { count, names } }: Audience): string {
  const named = names.join(', ');
  const others = count - names.length;
  if (others === 0) return t`waiting for ${named} to accept the invitation`;
  return plural(others, {
    one: `waiting for ${named} and # other to accept the invitation`,
    other: `waiting for ${named} and # others to accept the invitation`,
  });
}

export const statusLabels = (): Record<AttachmentStatus, { label: string; tone: BadgeTone }> => ({
  ready: { label: t`Ready`, tone: 'success' },
  scanning: { label: t`Scanning`, tone: 'warning' },
  quarantined: { label: t`Virus found`, tone: 'danger' },
  missing: { label: t`Lost`, tone: 'danger' },
});

export type OwnerFilter = 'mine' | 'shared' | 'others';

export const ownerFilterLabels = (): Record<OwnerFilter, string> => ({
  mine: t`Mine`,
  shared: t`Shared with me`,
  others: t`Other people’s`,
});

/** Returns why a file cannot be opened and what to do, or null if it can. */
export function cannotOpenReason({ status, virus, may }: Attachment): string | null {
  switch (status) {
    case 'scanning':
      return t`This file is still being checked for viruses. It cannot be opened until that is done; try again in a minute.`;
    case 'quarantined':
      return virus === null
        ? t`A virus was found in this file, so it cannot be opened. Delete it, and check where it came from.`
        : t`A virus was found in this file (${virus}), so it cannot be opened. Delete it, and check where it came from.`;
    case 'missing':
      return t`The contents of this file are lost or damaged on the server. Contact support, and upload it again if you have it.`;
    case 'ready':
      return may.open
        ? null
        : t`This file is not shared with you: as an administrator you can see that it exists, but not open it.`;
  }
}
