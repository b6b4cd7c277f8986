/** State of the invite dialog. See invite-draft.ts for its storage. */
import { t } from '@lingui/core/macro';
import { checkInvitations, type Batch, type RowCheck } from '@vestibule/contract/invitations/batches';
import { invite, type Invitation } from '@vestibule/contract/invitations';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import { useEffect, useEffectEvent, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import { flushSync } from 'react-dom';
import { messageWithReference } from '../../../language/field-errors.ts';
import { call } from '../../../lib/call.ts';
import { useForm, type FieldErrors, type FormState } from '../../../ui/fields/use-form.ts';
import { useWindowEvent } from '../../../ui/events/use-window-event.ts';
import { useInvitationSettings } from '../invitation-settings.ts';
import {
  asWritten,
  emptyDraft,
  draftRowsOf,
  entriesOf,
  forgetSent,
  isOne,
  oneOf,
  optionsOf,
  peopleOf,
  readInviteDraft,
  rereadRows,
  rowsOf,
  writeInviteDraft,
  type DraftRow,
  type InviteDraft,
  type InviteValues,
  type NamedList,
} from './invite-draft.ts';
import { chooseReading } from './change-lists.ts';
import { problemsFrom, problemsIn } from './invite-problems.ts';
import type { Choices } from './import/list-columns.ts';
import type { Entry } from './import/typed-addresses.ts';
import { useChecks } from './review/use-checks.ts';
import { useSending } from './use-sending.ts';

type Rest = Omit<InviteDraft, 'values'>;
type Part = Partial<Rest>;

export type Inviting = {
  draft: InviteDraft;
  form: FormState<InviteValues>;
  /** Server checks of typed recipients. */
  checks: ReadonlyMap<Entry, RowCheck>;
  /** The only recipient has a doubtful domain. */
  isDoubtful: boolean;
  checking: boolean;
  /** Error of the last step. */
  trouble: string;
  /** `part` may be a function of the current draft. */
  change: (part: Part | ((before: Rest) => Part)) => void;
  /** Replaces a row and checks again. */
  replaceRow: (row: DraftRow) => void;
  /** Reads a list again during the review. */
  chooseReading: (list: NamedList, choices: Choices) => Promise<void>;
  /** Returns to the first step with the corrections of the review. */
  goBack: () => void;
  send: () => void;
  /** Cancels sending. */
  backToList: () => void;
  close: () => void;
};

export function useInviting({
  onClose,
  onInvited,
  onAccepted,
}: {
  onClose: () => void;
  /** The dialog may have been closed meanwhile. */
  onInvited: (invitation: Invitation) => void;
  onAccepted: (batch: Batch) => void;
}): Inviting {
  const [{ values: firstValues, ...first }] = useState(() => readInviteDraft() ?? emptyDraft);
  const [rest, setRest] = useState({ ...first, open: true });
  const [trouble, setTrouble] = useState('');
  const most = useInvitationSettings()?.invitationsPerBatch.value ?? batchMaximum;

  const form = useForm<InviteValues>({
    initial: firstValues,
    validate: (values) => problemsIn({ ...rest, values }, most),
    onSubmit: submit,
  });
  const draft: InviteDraft = { ...rest, values: form.values };
  const change: Inviting['change'] = (part) =>
    setRest((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }));
  const { leaveWith, left } = useKeptDraft(draft);
  const end = (last: InviteDraft | null) => {
    leaveWith(last);
    onClose();
  };
  const { checking, check, stop } = useDryRun(draft, change);
  const { checks, learn } = useChecks(draft.values.people);
  const [only] = draft.values.people;
  const isDoubtful = isOne(draft) && only !== undefined && checks.get(only)?.verdict === 'doubtful_domain';
  useSending(draft, {
    accepted(batch) {
      end(null);
      onAccepted(batch);
    },
    refused(error) {
      setTrouble(messageWithReference(error));
      change({ step: 'check', key: null });
    },
    lost: () => setTrouble(t`Connection lost. Retrying automatically; nothing is sent twice.`),
  });

  async function submit(values: InviteValues): Promise<FieldErrors | void> {
    const people = peopleOf(values);
    if (values.addresses) {
      form.set('people', people);
      form.set('addresses', '');
    }
    try {
      if (!isOne({ ...rest, values })) return await check(draftRowsOf({ ...rest, values }));
      const one = oneOf({ ...rest, values });
      // Sending again confirms a doubtful address.
      const fresh = isDoubtful ? null : await doubtOf(one, left);
      if (left.aborted) return undefined;
      if (fresh && people[0]) return learn(people[0], fresh);
      const invitation = await call(invite, { body: one });
      if (left.aborted) forgetSent(values);
      else end(null);
      return onInvited(invitation);
    } catch (error) {
      return problemsFrom(error);
    }
  }

  async function checkAgain(rows: DraftRow[]): Promise<void> {
    setTrouble('');
    change({ rows });
    try {
      await check(rows);
    } catch (error) {
      setTrouble(messageWithReference(error));
    }
  }

  return {
    draft,
    form,
    checks,
    isDoubtful,
    checking,
    trouble,
    change,
    replaceRow: (row) => void checkAgain(rest.rows.map((one) => (one.id === row.id ? row : one))),
    async chooseReading(list, choices) {
      const reread = await readAgain(list, choices, { values: draft.values, setRest, setTrouble });
      if (reread) await checkAgain(reread);
    },
    goBack() {
      const { values, lists, step, rows } = asWritten(draft);
      stop();
      setTrouble('');
      form.set('people', values.people);
      form.set('addresses', values.addresses);
      return change({ lists, step, rows });
    },
    send() {
      const sending = { step: 'sending', key: crypto.randomUUID() } as const;
      setTrouble('');
      // Store immediately: a retry after a crash must use the same key.
      writeInviteDraft({ ...draft, ...sending });
      change(sending);
    },
    backToList() {
      // The list may have been sent; the new check reports that per row.
      change({ step: 'check', key: null });
      void checkAgain(rest.rows);
    },
    close: () => end({ ...draft, open: false }),
  };
}

/** Reads a list of the review again. Returns the new rows, or null if it is unusable. */
async function readAgain(
  list: NamedList,
  choices: Choices,
  {
    values,
    setRest,
    setTrouble,
  }: {
    values: InviteValues;
    setRest: Dispatch<SetStateAction<Rest>>;
    setTrouble: (sentence: string) => void;
  },
): Promise<DraftRow[] | null> {
  let isRead = true;
  let rows: DraftRow[] = [];
  await chooseReading(list, choices, {
    change: (next) =>
      flushSync(() =>
        setRest((before) => {
          const lists = next(before.lists);
          rows = rereadRows(before.rows, { values, lists: before.lists }, { values, lists });
          return { ...before, lists, rows };
        }),
      ),
    onProblem(sentence) {
      isRead = sentence === '';
      setTrouble(sentence);
    },
  });
  return isRead ? rows : null;
}

/** Returns the check of a doubtful domain, or null if there is none or the check failed. */
async function doubtOf(
  { email, name }: { email: string; name: string },
  signal: AbortSignal,
): Promise<RowCheck | null> {
  try {
    const { rows } = await call(checkInvitations, { body: { rows: [{ email, name }] }, signal });
    return rows.find(({ verdict }) => verdict === 'doubtful_domain') ?? null;
  } catch {
    return null;
  }
}

/** Stores the draft when the dialog is unmounted or the page is left. `leaveWith` stores another draft or none. */
function useKeptDraft(draft: InviteDraft) {
  const [leaving] = useState(() => new AbortController());
  const keep = () => {
    if (!leaving.signal.aborted) writeInviteDraft(draft);
  };
  useWindowEvent('pagehide', keep);
  const onGone = useEffectEvent(() => {
    keep();
    leaving.abort();
  });
  useEffect(() => () => onGone(), []);
  const leaveWith = (last: InviteDraft | null) => {
    leaving.abort();
    writeInviteDraft(last);
  };
  return { leaveWith, left: leaving.signal };
}

/** Checks all rows on the server. A newer check, or a changed recipient in the first step, aborts the previous one. */
function useDryRun(draft: InviteDraft, change: Inviting['change']) {
  const asked = useRef<AbortController>(null);
  const [checking, setChecking] = useState(false);
  const stop = () => asked.current?.abort();
  useEffect(() => () => asked.current?.abort(), []);
  const entered = checking && draft.step === 'write' ? JSON.stringify(entriesOf(draft)) : null;
  useEffect(() => (entered === null ? undefined : () => asked.current?.abort()), [entered]);

  async function check(rows: readonly DraftRow[]): Promise<void> {
    asked.current?.abort();
    const current = (asked.current = new AbortController());
    const { signal } = current;
    const sent = rows.filter(({ out }) => !out);
    setChecking(true);
    try {
      const body = { ...optionsOf(draft.values), rows: rowsOf(rows) };
      const { rows: checks } =
        sent.length === 0 ? { rows: [] } : await call(checkInvitations, { body, signal });
      const checkOf = new Map(sent.map(({ id }, index) => [id, checks[index]]));
      change({ step: 'check', rows: rows.map((row) => ({ ...row, check: checkOf.get(row.id) })) });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (asked.current === current) setChecking(false);
    }
  }
  return { checking, check, stop };
}
