/** Draft of the invite dialog. Stored in session storage until it is sent, so that it survives sign-in and reload; signing out clears it. */
import { t } from '@lingui/core/macro';
import type { createBatch, RowCheck } from '@vestibule/contract/invitations/batches';
import type { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import type { RouteRequest } from '@vestibule/contract/route';
import { plainList, type Choices, type List } from './import/list-columns.ts';
import { areTypeable, readTypedAddresses, type Entry } from './import/typed-addresses.ts';

/** Field values of the first step. */
export type InviteValues = Omit<NewInvitation, 'email' | 'language' | 'lifetimeDays'> & {
  /** Finished recipients. */
  people: Entry[];
  /** Text being typed. */
  addresses: string;
  language: '' | 'en' | 'de';
  lifetimeDays: string;
};

/** A file or pasted list. `file` is lost on reload; `chosen` is set while the list is read again. */
export type NamedList = List & { id: string; title: string; file?: File; chosen?: Choices | undefined };

/** A row in review. `row` is the displayed number; `out`: removed by the user. */
export type DraftRow = Entry & { id: number; row: number; out: boolean; check?: RowCheck | undefined };

export type InviteDraft = {
  values: InviteValues;
  lists: NamedList[];
  step: 'write' | 'check' | 'sending';
  rows: DraftRow[];
  sendAgain: boolean;
  inviteLookAlikes: boolean;
  /** Idempotency key, set from sending until the response. */
  key: string | null;
  /** Whether to open the dialog again after a reload. */
  open: boolean;
};

export const emptyDraft: InviteDraft = {
  values: {
    people: [],
    addresses: '',
    name: '',
    role: 'member',
    language: '',
    lifetimeDays: '',
    message: '',
    attachmentIds: [],
  },
  lists: [],
  step: 'write',
  rows: [],
  sendAgain: false,
  inviteLookAlikes: false,
  key: null,
  open: true,
};

const storageKey = 'draft:invitations';

export function readInviteDraft(): InviteDraft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as InviteDraft | null;
    // Earlier versions stored fewer fields.
    return (
      kept && {
        ...kept,
        values: { ...emptyDraft.values, ...kept.values },
        lists: kept.lists.map((list, index) => ({
          ...plainList([]),
          ...list,
          id: list.id ?? String(index),
        })),
      }
    );
  } catch {
    // Storage is blocked.
    return null;
  }
}

/** Stores a draft, or removes it if it is null or empty. */
export function writeInviteDraft(draft: InviteDraft | null): void {
  try {
    if (draft && !isEmpty(draft)) sessionStorage.setItem(storageKey, JSON.stringify(draft));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // Storage is full or blocked: the draft is lost on reload.
  }
}

/** Removes the stored draft of an invitation that was sent after the dialog was closed, unless it was changed since. */
export function forgetSent(values: InviteValues): void {
  const kept = readInviteDraft();
  const isSame = kept && isOne(kept) && peopleOf(kept.values)[0]?.email === peopleOf(values)[0]?.email;
  if (isSame) writeInviteDraft(null);
}

/** Fields that are not copied from a previous invitation. */
const notAgain = ['people', 'addresses', 'name', 'language', 'lifetimeDays', 'attachmentIds'];

/** Adds a previous invitee to the draft. Returns false while a list is being sent: a retry must send an identical request. */
export function draftAgain(
  invitation: Omit<NewInvitation, 'language' | 'lifetimeDays' | 'attachmentIds'>,
): boolean {
  const { email, name } = invitation;
  const again = Object.entries(invitation).filter(
    ([field]) => field in emptyDraft.values && !notAgain.includes(field),
  );
  const kept = readInviteDraft();
  const draft = kept ?? {
    ...emptyDraft,
    values: { ...emptyDraft.values, ...Object.fromEntries(again) },
  };
  if (draft.key !== null) return false;
  const { values, ...rest } = asWritten(draft);
  const isThere = values.people.some((one) => one.email.toLowerCase() === email.toLowerCase());
  const people = isThere ? values.people : [...values.people, { email, name }];
  writeInviteDraft({ ...rest, values: { ...values, people } });
  return true;
}

/** Returns the draft at the first step, with the corrections and removals of the review. */
export function asWritten(draft: InviteDraft): InviteDraft {
  const written: InviteDraft = { ...draft, step: 'write', rows: [] };
  const rows = rowsOf(draft.rows);
  if (draft.step === 'write' || JSON.stringify(rows) === JSON.stringify(rowsOf(draftRowsOf(draft))))
    return written;
  const fits = areTypeable(rows);
  const people = fits ? rows.map(({ row: _row, ...entry }) => entry) : [];
  return {
    ...written,
    values: { ...draft.values, people, addresses: '' },
    lists: fits ? [] : [namedList(t`Corrected list`, plainList(rows))],
  };
}

export function namedList(title: string, list: List, file?: File): NamedList {
  return { id: crypto.randomUUID(), title, ...(file && { file }), ...list };
}

function isEmpty({ values, lists, key }: InviteDraft): boolean {
  return key === null && lists.length === 0 && JSON.stringify(values) === JSON.stringify(emptyDraft.values);
}

/** Returns all typed recipients, finished or not. */
export function peopleOf({ people, addresses }: Pick<InviteValues, 'people' | 'addresses'>): Entry[] {
  return [...people, ...readTypedAddresses(addresses)];
}

/** Returns the recipients of fields and lists. */
export function entriesOf({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>): Entry[] {
  return [...peopleOf(values), ...lists.flatMap((list) => list.entries)];
}

/** Returns the rows for the review. A single file keeps its row numbers; otherwise rows are numbered consecutively. */
export function draftRowsOf(draft: Pick<InviteDraft, 'values' | 'lists'>): DraftRow[] {
  const entries = entriesOf(draft);
  const isOneFile = draft.lists[0]?.entries.length === entries.length;
  return entries.map((entry, index) => ({
    ...entry,
    id: index + 1,
    row: (isOneFile ? entry.row : undefined) ?? index + 1,
    out: false,
  }));
}

/** Returns the rows after a list was read again. Keeps corrections and removals. */
export function rereadRows(
  rows: readonly DraftRow[],
  before: Pick<InviteDraft, 'values' | 'lists'>,
  after: Pick<InviteDraft, 'values' | 'lists'>,
): DraftRow[] {
  const original = draftRowsOf(before);
  const keys = rowKeys(before);
  const decided = new Map(
    rows.flatMap((row, index) =>
      decisionOf(row) === decisionOf(original[index]) ? [] : [[keys[index], row] as const],
    ),
  );
  const keysAfter = rowKeys(after);
  return draftRowsOf(after).map((row, index) => ({
    ...row,
    ...decided.get(keysAfter[index]),
    id: row.id,
    row: row.row,
  }));
}

const decisionOf = (row: DraftRow | undefined) =>
  JSON.stringify([row?.out, row?.email, row?.name, row?.role ?? '', row?.message ?? '']);

/** Returns a key per recipient that is stable when the list is read again. */
function rowKeys({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>): string[] {
  const counts = new Map<string, number>();
  const ofLists = lists.flatMap(({ id, entries }) =>
    entries.map(({ row }) => {
      const key = `${id} ${row}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return `${key} ${count}`;
    }),
  );
  return [...peopleOf(values).map((_, index) => String(index)), ...ofLists];
}

/** Returns whether the draft is a single invitation without a list. */
export function isOne(draft: Pick<InviteDraft, 'values' | 'lists'>): boolean {
  return draft.lists.length === 0 && entriesOf(draft).length <= 1;
}

/** Returns the request for a single invitation. */
export function oneOf({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>) {
  const { email = '', name = '' } = entriesOf({ values, lists })[0] ?? {};
  return { ...optionsOf(values), email, name: values.name.trim() || name };
}

export function optionsOf(values: InviteValues) {
  const { people: _people, addresses: _addresses, name: _name, language, lifetimeDays, ...options } = values;
  return {
    ...options,
    ...(language && { language }),
    ...(lifetimeDays && { lifetimeDays: Number(lifetimeDays) }),
  };
}

/** Returns the rows of a request, without removed ones. */
export function rowsOf(rows: readonly DraftRow[]) {
  return rows
    .filter(({ out }) => !out)
    .map(({ email, name, role, message, row }) => ({
      email,
      name,
      ...(role && { role }),
      ...(message && { message }),
      row,
    }));
}

/** Depends on the draft only, so that a retry after a reload is identical. */
export function batchBodyOf(draft: InviteDraft): RouteRequest<typeof createBatch>['body'] {
  return {
    ...optionsOf(draft.values),
    rows: rowsOf(draft.rows),
    sendAgain: draft.sendAgain,
    inviteLookAlikes: draft.inviteLookAlikes,
  };
}
