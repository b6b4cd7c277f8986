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
  toFirstStep,
  emptyDraft,
  createDraftRows,
  allRecipients,
  deleteSentDraft,
  isSingleInvitation,
  singleInvitationBody,
  invitationOptions,
  typedRecipients,
  readInviteDraft,
  mergeRows,
  requestRows,
  writeInviteDraft,
  type DraftRow,
  type InviteDraft,
  type InviteValues,
  type NamedList,
} from './invite-draft.ts';
import { rereadList } from './change-lists.ts';
import { toFieldErrors, validateDraft } from './invite-problems.ts';
import type { ReadChoices } from './import/list-columns.ts';
import type { Entry } from './import/typed-addresses.ts';
import { useChecks } from './review/use-checks.ts';
import { useSending } from './use-sending.ts';

type DraftRest = Omit<InviteDraft, 'values'>;
type DraftChange = Partial<DraftRest>;

export type InviteState = {
  draft: InviteDraft;
  form: FormState<InviteValues>;
  /** Server checks of typed recipients. */
  checks: ReadonlyMap<Entry, RowCheck>;
  /** There is only one recipient, and the domain of its address is doubtful. */
  isDoubtful: boolean;
  isChecking: boolean;
  errorMessage: string;
  /** `change` may be a function of the current draft. */
  changeDraft: (change: DraftChange | ((previous: DraftRest) => DraftChange)) => void;
  /** Replaces a row and checks all rows again. */
  replaceRow: (row: DraftRow) => void;
  /** Reads a list again during the review. */
  rereadList: (list: NamedList, choices: ReadChoices) => Promise<void>;
  /** Returns to the first step with the corrections of the review. */
  goBack: () => void;
  send: () => void;
  /** Cancels sending. */
  backToList: () => void;
  close: () => void;
};

export function useInvite({
  onClose,
  onInvited,
  onAccepted,
}: {
  onClose: () => void;
  /** Called even if the dialog has been closed. */
  onInvited: (invitation: Invitation) => void;
  onAccepted: (batch: Batch) => void;
}): InviteState {
  const [{ values: storedValues, ...firstRest }] = useState(() => readInviteDraft() ?? emptyDraft);
  const [rest, setRest] = useState({ ...firstRest, open: true });
  const [errorMessage, setErrorMessage] = useState('');
  const maximum = useInvitationSettings()?.invitationsPerBatch.value ?? batchMaximum;

  const form = useForm<InviteValues>({
    initial: storedValues,
    validate: (values) => validateDraft({ ...rest, values }, maximum),
    onSubmit: submit,
  });
  const draft: InviteDraft = { ...rest, values: form.values };
  const changeDraft: InviteState['changeDraft'] = (change) =>
    setRest((previous) => ({ ...previous, ...(typeof change === 'function' ? change(previous) : change) }));
  const { storeFinal, closedSignal } = useStoredDraft(draft);
  const closeWith = (finalDraft: InviteDraft | null) => {
    storeFinal(finalDraft);
    onClose();
  };
  const { isChecking, check, stop } = useBatchCheck(draft, changeDraft);
  const { checks, addCheck } = useChecks(draft.values.people);
  const [onlyPerson] = draft.values.people;
  const isDoubtful =
    isSingleInvitation(draft) &&
    onlyPerson !== undefined &&
    checks.get(onlyPerson)?.verdict === 'doubtful_domain';
  useSending(draft, {
    onAccepted(batch) {
      closeWith(null);
      onAccepted(batch);
    },
    onRefused(error) {
      setErrorMessage(messageWithReference(error));
      changeDraft({ step: 'check', key: null });
    },
    onConnectionLost: () =>
      setErrorMessage(t`Connection lost. Retrying automatically; nothing is sent twice.`),
  });

  async function submit(values: InviteValues): Promise<FieldErrors | void> {
    const people = typedRecipients(values);
    if (values.addresses) {
      form.set('people', people);
      form.set('addresses', '');
    }
    try {
      if (!isSingleInvitation({ ...rest, values })) return await check(createDraftRows({ ...rest, values }));
      const body = singleInvitationBody({ ...rest, values });
      // Sending again confirms a doubtful address.
      const doubtfulCheck = isDoubtful ? null : await checkDomain(body, closedSignal);
      if (closedSignal.aborted) return undefined;
      if (doubtfulCheck && people[0]) return addCheck(people[0], doubtfulCheck);
      const invitation = await call(invite, { body });
      if (closedSignal.aborted) deleteSentDraft(values);
      else closeWith(null);
      return onInvited(invitation);
    } catch (error) {
      return toFieldErrors(error);
    }
  }

  async function checkAgain(rows: DraftRow[]): Promise<void> {
    setErrorMessage('');
    changeDraft({ rows });
    try {
      await check(rows);
    } catch (error) {
      setErrorMessage(messageWithReference(error));
    }
  }

  return {
    draft,
    form,
    checks,
    isDoubtful,
    isChecking,
    errorMessage,
    changeDraft,
    replaceRow: (row) => void checkAgain(rest.rows.map((old) => (old.id === row.id ? row : old))),
    async rereadList(list, choices) {
      const rows = await rereadReviewedList(list, choices, {
        values: draft.values,
        setRest,
        setErrorMessage,
      });
      if (rows) await checkAgain(rows);
    },
    goBack() {
      const { values, lists, step, rows } = toFirstStep(draft);
      stop();
      setErrorMessage('');
      form.set('people', values.people);
      form.set('addresses', values.addresses);
      return changeDraft({ lists, step, rows });
    },
    send() {
      const sending = { step: 'sending', key: crypto.randomUUID() } as const;
      setErrorMessage('');
      // Store immediately: a retry after a crash must use the same key.
      writeInviteDraft({ ...draft, ...sending });
      changeDraft(sending);
    },
    backToList() {
      // The server may have received the list; the new check reports this for each row.
      changeDraft({ step: 'check', key: null });
      void checkAgain(rest.rows);
    },
    close: () => closeWith({ ...draft, open: false }),
  };
}

/** Reads a list of the review again. Returns the new rows, or null if the list is unusable. */
async function rereadReviewedList(
  list: NamedList,
  choices: ReadChoices,
  {
    values,
    setRest,
    setErrorMessage,
  }: {
    values: InviteValues;
    setRest: Dispatch<SetStateAction<DraftRest>>;
    setErrorMessage: (message: string) => void;
  },
): Promise<DraftRow[] | null> {
  let isReadable = true;
  let rows: DraftRow[] = [];
  await rereadList(list, choices, {
    updateLists: (update) =>
      flushSync(() =>
        setRest((previous) => {
          const lists = update(previous.lists);
          rows = mergeRows(previous.rows, { values, lists: previous.lists }, { values, lists });
          return { ...previous, lists, rows };
        }),
      ),
    onProblem(message) {
      isReadable = message === '';
      setErrorMessage(message);
    },
  });
  return isReadable ? rows : null;
}

/** Returns the check result if the domain is doubtful; null if it is not or if the check failed. */
async function checkDomain(
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

/**
 * Stores the draft when the dialog is unmounted or the page is left. After `storeFinal`, stores only the draft passed to it; null deletes
 * the stored draft.
 */
function useStoredDraft(draft: InviteDraft) {
  const [closing] = useState(() => new AbortController());
  const store = () => {
    if (!closing.signal.aborted) writeInviteDraft(draft);
  };
  useWindowEvent('pagehide', store);
  const onUnmount = useEffectEvent(() => {
    store();
    closing.abort();
  });
  useEffect(() => () => onUnmount(), []);
  const storeFinal = (finalDraft: InviteDraft | null) => {
    closing.abort();
    writeInviteDraft(finalDraft);
  };
  return { storeFinal, closedSignal: closing.signal };
}

/** Checks all rows on the server. A newer check aborts the previous one, and so does a change of recipients in the first step. */
function useBatchCheck(draft: InviteDraft, changeDraft: InviteState['changeDraft']) {
  const latestCheck = useRef<AbortController>(null);
  const [isChecking, setIsChecking] = useState(false);
  const stop = () => latestCheck.current?.abort();
  useEffect(() => () => latestCheck.current?.abort(), []);
  const recipients = isChecking && draft.step === 'write' ? JSON.stringify(allRecipients(draft)) : null;
  useEffect(() => (recipients === null ? undefined : () => latestCheck.current?.abort()), [recipients]);

  async function check(rows: readonly DraftRow[]): Promise<void> {
    latestCheck.current?.abort();
    const current = (latestCheck.current = new AbortController());
    const { signal } = current;
    const checkedRows = rows.filter(({ out }) => !out);
    setIsChecking(true);
    try {
      const body = { ...invitationOptions(draft.values), rows: requestRows(rows) };
      const { rows: checks } =
        checkedRows.length === 0 ? { rows: [] } : await call(checkInvitations, { body, signal });
      const checksById = new Map(checkedRows.map(({ id }, index) => [id, checks[index]]));
      changeDraft({ step: 'check', rows: rows.map((row) => ({ ...row, check: checksById.get(row.id) })) });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (latestCheck.current === current) setIsChecking(false);
    }
  }
  return { isChecking, check, stop };
}
