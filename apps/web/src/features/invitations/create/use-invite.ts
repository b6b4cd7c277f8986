/** State of the invite dialog. See invite-draft.ts for its storage. */
import { routeHere } from '../../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { checkInvitations, type Batch } from '@vestibule/contract/invitations/batches';
import { invite, type Invitation } from '@vestibule/contract/invitations';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { messageWithReference } from '../../../language/field-errors.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { useForm, type FieldErrors } from '../../../ui/fields/use-form.ts';
import { useWindowEvent } from '../../../ui/events/use-window-event.ts';
import { useInvitationSettings } from '../invitation-settings.ts';
import {
  toFirstStep,
  emptyDraft,
  createDraftRows,
  isSingleInvitation,
  singleInvitationBody,
  invitationOptions,
  readInviteDraft,
  requestRows,
  writeInviteDraft,
  type DraftRow,
  type InviteDraft,
  type InviteValues,
} from './invite-draft.ts';
import { toFieldErrors, validateDraft } from './invite-problems.ts';
import { useSending } from './use-sending.ts';

type DraftRest = Omit<InviteDraft, 'values'>;
type DraftChange = Partial<DraftRest>;

export type InviteState = ReturnType<typeof useInvite>;

/**
 * Results for a single address that the user confirms in the review. Other errors are shown at the field, such as "already invited", unless
 * the review can offer a correction.
 */
const reviewedVerdicts: ReadonlySet<unknown> = new Set(['doubtful_domain', 'look_alike']);

export function useInvite({
  onClose,
  onInvited,
  onAccepted,
}: {
  onClose: () => void;
  onInvited: (invitation: Invitation) => void;
  onAccepted: (batch: Batch) => void;
}) {
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
  const changeDraft = (change: DraftChange | ((previous: DraftRest) => DraftChange)) =>
    setRest((previous) => ({ ...previous, ...(typeof change === 'function' ? change(previous) : change) }));
  const storeFinal = useStoredDraft(draft);
  const closeWith = (finalDraft: InviteDraft | null) => {
    storeFinal(finalDraft);
    onClose();
  };
  const { isChecking, check, stop } = useBatchCheck(draft.values);
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
    const current = { ...rest, values };
    try {
      const rows = await check(createDraftRows(current));
      if (!rows) return undefined;
      const result = rows[0]?.check;
      if (!isSingleInvitation(current) || reviewedVerdicts.has(result?.verdict) || result?.suggestion)
        return changeDraft({ step: 'check', rows });
      if (result?.verdict === 'invalid') return { addresses: formatMessage(result) };
      const invitation = await call(routeHere(invite), { body: singleInvitationBody(current) });
      closeWith(null);
      return onInvited(invitation);
    } catch (error) {
      return toFieldErrors(error);
    }
  }

  async function checkAgain(rows: DraftRow[]): Promise<void> {
    setErrorMessage('');
    changeDraft({ rows });
    try {
      const checkedRows = await check(rows);
      if (checkedRows) changeDraft({ rows: checkedRows });
    } catch (error) {
      setErrorMessage(messageWithReference(error));
    }
  }

  return {
    draft,
    form,
    isChecking,
    errorMessage,
    changeDraft,
    replaceRow: (row: DraftRow) => void checkAgain(rest.rows.map((old) => (old.id === row.id ? row : old))),
    /** Returns to the first step with the corrections of the review. */
    goBack: () => {
      const { values, lists, step, rows } = toFirstStep(draft);
      stop();
      setErrorMessage('');
      form.set('addresses', values.addresses);
      return changeDraft({ lists, step, rows });
    },
    send: () => {
      const sending = { step: 'sending', key: crypto.randomUUID() } as const;
      setErrorMessage('');
      // Store immediately: a retry after a crash must use the same key.
      writeInviteDraft({ ...draft, ...sending });
      changeDraft(sending);
    },
    /** Cancels sending. */
    backToList: () => {
      // The server may have received the list; the new check reports this for each row.
      changeDraft({ step: 'check', key: null });
      void checkAgain(rest.rows);
    },
    close: () => closeWith({ ...draft, open: false }),
  };
}

/**
 * Stores the draft when the dialog is unmounted or the page is left. Returns a function that stores the final draft, after which no other
 * is stored; null deletes the stored draft.
 */
function useStoredDraft(draft: InviteDraft): (finalDraft: InviteDraft | null) => void {
  const hasFinal = useRef(false);
  const store = () => {
    if (!hasFinal.current) writeInviteDraft(draft);
  };
  useWindowEvent('pagehide', store);
  const onUnmount = useEffectEvent(store);
  useEffect(() => () => onUnmount(), []);
  return (finalDraft) => {
    hasFinal.current = true;
    writeInviteDraft(finalDraft);
  };
}

/** Checks all rows on the server. A newer check aborts the previous one, and so does closing the dialog. */
function useBatchCheck(values: InviteValues) {
  const latestCheck = useRef<AbortController>(null);
  const [isChecking, setIsChecking] = useState(false);
  const stop = () => latestCheck.current?.abort();
  useEffect(() => () => latestCheck.current?.abort(), []);

  /** Returns the rows with their results; null if the check was aborted. */
  async function check(rows: readonly DraftRow[]): Promise<DraftRow[] | null> {
    latestCheck.current?.abort();
    const current = (latestCheck.current = new AbortController());
    const { signal } = current;
    const checkedRows = rows.filter(({ out }) => !out);
    setIsChecking(true);
    try {
      const body = { ...invitationOptions(values), rows: requestRows(rows) };
      const { rows: checks } =
        checkedRows.length === 0 ? { rows: [] } : await call(routeHere(checkInvitations), { body, signal });
      const checksById = new Map(checkedRows.map(({ id }, index) => [id, checks[index]]));
      return rows.map((row) => ({ ...row, check: checksById.get(row.id) }));
    } catch (error) {
      if (!signal.aborted) throw error;
      return null;
    } finally {
      if (latestCheck.current === current) setIsChecking(false);
    }
  }
  return { isChecking, check, stop };
}
