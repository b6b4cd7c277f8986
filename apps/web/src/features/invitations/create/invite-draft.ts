/**
 * What somebody has typed, dropped and decided in the invite dialog. It outlives the dialog, the screen, a sign-in and
 * a reload, until it is sent. Kept in this tab's session storage, which signing out clears.
 */
import { t } from '@lingui/core/macro';
import type { createBatch, RowCheck } from '@vestibule/contract/invitations/batches';
import type { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import type { RouteRequest } from '@vestibule/contract/route';
import { plainList, type Choices, type List } from './import/list-columns.ts';
import { areTypeable, readTypedAddresses, type Entry } from './import/typed-addresses.ts';

/** What is typed and chosen on the first page: what the contract wants to know, as fields have it. */
export type InviteValues = Omit<NewInvitation, 'email' | 'language' | 'lifetimeDays'> & {
  /** Whose addresses are finished. */
  people: Entry[];
  /** What is being typed. */
  addresses: string;
  language: '' | 'en' | 'de';
  lifetimeDays: string;
};

/** A list that was dropped or pasted as a whole. `file` is there until the page is left, `chosen` while it is read again by other choices. */
export type NamedList = List & { id: string; title: string; file?: File; chosen?: Choices | undefined };

/** One row of the dry run; `row` is the number that it is known by, `out` says that somebody has taken it out. */
export type DraftRow = Entry & { id: number; row: number; out: boolean; check?: RowCheck | undefined };

export type InviteDraft = {
  values: InviteValues;
  lists: NamedList[];
  step: 'write' | 'check' | 'sending';
  rows: DraftRow[];
  sendAgain: boolean;
  inviteLookAlikes: boolean;
  /** The Idempotency-Key, from the moment of sending until there is an answer. */
  key: string | null;
  /** The dialog was open when the page was left, and opens again. */
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
    // An earlier version kept less.
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
    // Storage is forbidden: then nothing was kept.
    return null;
  }
}

/** Keeps a draft in which there is something; null forgets it. */
export function writeInviteDraft(draft: InviteDraft | null): void {
  try {
    if (draft && !isEmpty(draft)) sessionStorage.setItem(storageKey, JSON.stringify(draft));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // Storage is full or forbidden: the draft lasts as long as the page.
  }
}

/** Forgets what was sent after its dialog had been left, unless somebody has gone on writing since. */
export function forgetSent(values: InviteValues): void {
  const kept = readInviteDraft();
  const isSame = kept && isOne(kept) && peopleOf(kept.values)[0]?.email === peopleOf(values)[0]?.email;
  if (isSame) writeInviteDraft(null);
}

/** What is said for each person, or chosen anew. */
const notAgain = ['people', 'addresses', 'name', 'language', 'lifetimeDays', 'attachmentIds'];

/**
 * Puts somebody who was invited before into the draft, as they were invited; what is written already stays. False while a list
 * is on its way to the server, which is repeated to the letter: nobody can join it.
 */
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

/** Back on the first page, with what was corrected and taken out on the second. */
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

/** Everybody who is typed, finished or not. */
export function peopleOf({ people, addresses }: Pick<InviteValues, 'people' | 'addresses'>): Entry[] {
  return [...people, ...readTypedAddresses(addresses)];
}

/** Everybody who is typed, dropped or pasted. */
export function entriesOf({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>): Entry[] {
  return [...peopleOf(values), ...lists.flatMap((list) => list.entries)];
}

/** The rows for the dry run. A file alone keeps its own numbers; of several, the numbers go on from one to the next. */
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

/** The rows after a list was read again. Rows that were corrected or removed stay as they are. */
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

/** A key for each entry that is the same when its list is read again. */
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

/** One person is invited at once, without a list. */
export function isOne(draft: Pick<InviteDraft, 'values' | 'lists'>): boolean {
  return draft.lists.length === 0 && entriesOf(draft).length <= 1;
}

/** What is sent for one person. */
export function oneOf({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>) {
  const { email = '', name = '' } = entriesOf({ values, lists })[0] ?? {};
  return { ...optionsOf(values), email, name: values.name.trim() || name };
}

/** The parts of a request that come from the first page. */
export function optionsOf(values: InviteValues) {
  const { people: _people, addresses: _addresses, name: _name, language, lifetimeDays, ...options } = values;
  return {
    ...options,
    ...(language && { language }),
    ...(lifetimeDays && { lifetimeDays: Number(lifetimeDays) }),
  };
}

/** The rows that are still in, as the server takes them. */
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

/** What is sent; built from the draft alone, so that a repetition after a reload is the same to the letter. */
export function batchBodyOf(draft: InviteDraft): RouteRequest<typeof createBatch>['body'] {
  return {
    ...optionsOf(draft.values),
    rows: rowsOf(draft.rows),
    sendAgain: draft.sendAgain,
    inviteLookAlikes: draft.inviteLookAlikes,
  };
}
