/** Draft of the invite dialog. Stored in session storage until it is sent, so that it survives sign-in and reload; signing out clears it. */
import { activeOrganization } from '../../../lib/active-organization.ts';
import { readDraft, writeDraft } from '../../../ui/fields/drafts.ts';
import { t } from '@lingui/core/macro';
import type { createBatch, RowCheck } from '@vestibule/contract/invitations/batches';
import type { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import type { RouteRequest } from '@vestibule/contract/route';
import { plainList, type ReadChoices, type List } from './import/list-columns.ts';
import { formatTyped, readTypedAddresses, type Entry } from './import/typed-addresses.ts';

/** Field values of the first step. */
export type InviteValues = Omit<NewInvitation, 'email' | 'language' | 'lifetimeDays' | 'attachmentIds'> & {
  /** Typed recipients. */
  addresses: string;
  language: '' | 'en' | 'de';
  lifetimeDays: string;
};

/** A file or pasted list. `file` is lost on reload; `pendingChoices` is set while the list is read again. */
export type NamedList = List & {
  id: string;
  title: string;
  file?: File;
  pendingChoices?: ReadChoices | undefined;
};

/** A row in review. `row` is the displayed number; `out` means that the user has removed the row. */
export type DraftRow = Entry & { id: number; row: number; out: boolean; check?: RowCheck | undefined };

export type InviteDraft = {
  values: InviteValues;
  lists: NamedList[];
  step: 'write' | 'check' | 'sending';
  rows: DraftRow[];
  sendAgain: boolean;
  inviteLookAlikes: boolean;
  /** Idempotency key of a request without a response; null if no request is pending. */
  key: string | null;
  /** Whether to open the dialog again after a reload. */
  open: boolean;
};

export const emptyDraft: InviteDraft = {
  values: {
    addresses: '',
    name: '',
    role: 'member',
    language: '',
    lifetimeDays: '',
    message: '',
  },
  lists: [],
  step: 'write',
  rows: [],
  sendAgain: false,
  inviteLookAlikes: false,
  key: null,
  open: true,
};

/** Each organization has its own draft. The number changes with the fields of a draft: others are not read. */
const draftName = () => ['invitations:2', activeOrganization()?.organizationId].filter(Boolean).join(':');

export const readInviteDraft = () => readDraft(draftName()) as InviteDraft | null;

/** Stores a draft, or removes it if it is null or empty. */
export function writeInviteDraft(draft: InviteDraft | null): void {
  writeDraft(draftName(), draft && !isEmpty(draft) ? draft : null);
}

/** Adds a previous invitee to the draft. Returns false while a list is being sent: a retry must send an identical request. */
export function addToDraft({
  email,
  name,
  role,
  message,
}: Pick<NewInvitation, 'email' | 'name' | 'role' | 'message'>): boolean {
  const draft = readInviteDraft() ?? { ...emptyDraft, values: { ...emptyDraft.values, role, message } };
  if (draft.key !== null) return false;
  const { values, ...rest } = toFirstStep(draft);
  const typed = readTypedAddresses(values.addresses);
  const isIncluded = typed.some((entry) => entry.email.toLowerCase() === email.toLowerCase());
  const texts = [values.addresses, ...(isIncluded ? [] : [formatTyped({ email, name })])];
  writeInviteDraft({ ...rest, values: { ...values, addresses: texts.filter(Boolean).join('\n') } });
  return true;
}

/** Returns the draft at the first step, with the corrections and removals of the review. */
export function toFirstStep(draft: InviteDraft): InviteDraft {
  const firstStep: InviteDraft = { ...draft, step: 'write', rows: [] };
  const rows = requestRows(draft.rows);
  if (draft.step === 'write' || JSON.stringify(rows) === JSON.stringify(requestRows(createDraftRows(draft))))
    return firstStep;
  // Typed recipients have neither role nor message.
  const isText = draft.lists.length === 0 || rows.length === 0;
  return {
    ...firstStep,
    values: { ...draft.values, addresses: isText ? rows.map(formatTyped).join('\n') : '' },
    lists: isText ? [] : [createList(t`Corrected list`, plainList(rows))],
  };
}

export const createList = (title: string, list: List, file?: File): NamedList => ({
  id: crypto.randomUUID(),
  title,
  ...(file && { file }),
  ...list,
});

const isEmpty = ({ values, lists, key }: InviteDraft): boolean =>
  key === null && lists.length === 0 && JSON.stringify(values) === JSON.stringify(emptyDraft.values);

/** Returns the recipients of fields and lists. */
export const allRecipients = ({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>): Entry[] => [
  ...readTypedAddresses(values.addresses),
  ...lists.flatMap((list) => list.entries),
];

/** Returns the rows for the review. A single file keeps its row numbers; otherwise rows are numbered consecutively. */
export function createDraftRows(draft: Pick<InviteDraft, 'values' | 'lists'>): DraftRow[] {
  const entries = allRecipients(draft);
  const isOneFile = draft.lists[0]?.entries.length === entries.length;
  const onlyName = isSingleInvitation(draft) ? draft.values.name.trim() : '';
  return entries.map((entry, index) => ({
    ...entry,
    name: onlyName || entry.name,
    id: index + 1,
    row: (isOneFile ? entry.row : undefined) ?? index + 1,
    out: false,
  }));
}

export const isSingleInvitation = (draft: Pick<InviteDraft, 'values' | 'lists'>): boolean =>
  draft.lists.length === 0 && allRecipients(draft).length <= 1;

/** Returns the request for a single invitation. */
export function singleInvitationBody({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>) {
  const { email = '', name = '' } = allRecipients({ values, lists })[0] ?? {};
  return { ...invitationOptions(values), email, name: values.name.trim() || name };
}

export function invitationOptions(values: InviteValues) {
  const { addresses: _addresses, name: _name, language, lifetimeDays, ...options } = values;
  return {
    ...options,
    ...(language && { language }),
    ...(lifetimeDays && { lifetimeDays: Number(lifetimeDays) }),
  };
}

/** Returns the rows of a request, without removed ones. */
export const requestRows = (rows: readonly DraftRow[]) =>
  rows
    .filter(({ out }) => !out)
    .map(({ email, name, role, message, row }) => ({
      email,
      name,
      ...(role && { role }),
      ...(message && { message }),
      row,
    }));

/** Returns the request body. It depends only on the draft, so that a retry after a reload is identical. */
export const batchBody = (draft: InviteDraft): RouteRequest<typeof createBatch>['body'] => ({
  ...invitationOptions(draft.values),
  rows: requestRows(draft.rows),
  sendAgain: draft.sendAgain,
  inviteLookAlikes: draft.inviteLookAlikes,
});
