/**
 * Invites one person at once, or many after a dry run. What was typed survives a wrong input, a lost connection, a
 * reload and a new sign-in (invite-draft.ts). A list is sent under one Idempotency-Key until there is an answer, so
 * that it is sent once however often the connection breaks.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { batchMaximum } from '@vestibule/contract/limits';
import { checkInvitations, createBatch, type Batch } from '@vestibule/contract/invitation-batches';
import { invitationErrors, invite, type Invitation } from '@vestibule/contract/invitations';
import { NewInvitation } from '@vestibule/contract/new-invitation';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatNumber } from '../../../language/formats.ts';
import { CallFailure, sentenceOf } from '../../../lib/call-failure.ts';
import { call } from '../../../lib/call.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { Form, SubmitButton } from '../../../ui/fields/form.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useForm, type FieldErrors } from '../../../ui/fields/use-form.ts';
import { CheckStep, outcomeOf } from './check-step.tsx';
import { optionsFrom, useInvitationSettings } from '../invitation-settings.ts';
import { countAddresses, countOf, roleOptions } from '../invitation-words.ts';
import {
  batchBodyOf,
  emptyDraft,
  optionsOf,
  readInviteDraft,
  rowsOf,
  writeInviteDraft,
  type DraftRow,
  type InviteDraft,
  type InviteValues,
} from './invite-draft.ts';
import { PeopleField } from './people-field.tsx';
import { addressesAsText, readTypedAddresses, type Entry } from './typed-addresses.ts';
import { WelcomePack } from './welcome-pack.tsx';
import '../invitations.css';

/** Between two attempts to send over a lost connection, in milliseconds: the first and the longest. */
const firstPause = 1_000;
const longestPause = 15_000;

export default function InviteDialog({
  onClose,
  onInvited,
  onAccepted,
}: {
  onClose: () => void;
  /** One person was invited. */
  onInvited: (invitation: Invitation) => void;
  /** The server has a list and will mail it. */
  onAccepted: (batch: Batch) => void;
}) {
  const [{ values: firstValues, ...first }] = useState(() => readInviteDraft() ?? emptyDraft);
  const [rest, setRest] = useState({ ...first, open: true });
  const [checking, setChecking] = useState(false);
  const [trouble, setTrouble] = useState('');
  const asked = useRef<AbortController>(null);
  const done = useRef(false);

  const form = useForm<InviteValues>({ initial: firstValues, validate, onSubmit: submit });
  const draft: InviteDraft = { ...rest, values: form.values };
  const change = (part: Partial<Omit<InviteDraft, 'values'>>) =>
    setRest((before) => ({ ...before, ...part }));
  const entries = entriesOf(draft);
  const settings = useInvitationSettings();
  const options = optionsFrom(settings);
  const most = settings?.invitationsPerBatch.value ?? batchMaximum;
  const isOne = entries.length <= 1 && rest.lists.length === 0;

  const keep = useEffectEvent(() => {
    if (!done.current) writeInviteDraft(isEmpty(draft) ? null : draft);
  });
  useEffect(() => {
    const onLeave = () => keep();
    window.addEventListener('pagehide', onLeave);
    return () => {
      window.removeEventListener('pagehide', onLeave);
      asked.current?.abort();
      onLeave();
    };
  }, []);

  const close = () => {
    done.current = true;
    writeInviteDraft(isEmpty(draft) ? null : { ...draft, open: false });
    onClose();
  };
  const finish = (tell: () => void) => {
    done.current = true;
    writeInviteDraft(null);
    tell();
  };

  function validate(values: InviteValues): FieldErrors {
    if (entries.length === 0) return { addresses: t`Type the e-mail address of the person to invite.` };
    if (entries.length > most)
      return {
        addresses: t`These are ${countAddresses(entries.length)}; one list has at most ${formatNumber(most)}. Split it, and invite one part after the other.`,
      };
    const result = NewInvitation.safeParse({
      ...oneOf(values),
      ...(!isOne && { email: 'a@example.com', name: '' }),
    });
    if (result.success) return {};
    const errors: Record<string, string> = {};
    for (const { path, message } of result.error.issues) errors[fieldOf(String(path[0]))] ??= message;
    return errors;
  }

  function oneOf(values: InviteValues) {
    const { email = '', name = '' } = entries[0] ?? {};
    return { ...optionsOf(values), email, name: values.name.trim() || name };
  }

  async function submit(values: InviteValues): Promise<FieldErrors | void> {
    try {
      if (isOne) {
        const invitation = await call(invite, { body: oneOf(values) });
        return finish(() => onInvited(invitation));
      }
      const rows = entries.map((entry, index): DraftRow => ({ ...entry, id: index + 1, out: false }));
      await check(rows);
      return undefined;
    } catch (error) {
      return toFieldErrors(error);
    }
  }

  /** Asks the server what would become of the rows; a newer question makes the answer to an older one void. */
  async function check(rows: readonly DraftRow[]): Promise<void> {
    asked.current?.abort();
    const { signal } = (asked.current = new AbortController());
    const sent = rows.filter(({ out }) => !out);
    setChecking(true);
    try {
      const { rows: checks } =
        sent.length === 0
          ? { rows: [] }
          : await call(checkInvitations, {
              body: { ...optionsOf(form.values), rows: rowsOf(rows) },
              signal,
            });
      const checkOf = new Map(sent.map(({ id }, index) => [id, checks[index]]));
      change({ step: 'check', rows: rows.map((row) => ({ ...row, check: checkOf.get(row.id) })) });
    } finally {
      if (!signal.aborted) setChecking(false);
    }
  }

  /** To the first page, with what was corrected on the second. */
  function goBack(): void {
    const sent = rowsOf(rest.rows);
    setTrouble('');
    if (JSON.stringify(sent) === JSON.stringify(entries)) return change({ step: 'write' });
    const text = addressesAsText(sent);
    form.set('addresses', text ?? '');
    return change({
      step: 'write',
      lists: text === null ? [{ title: t`Corrected list`, entries: sent, columns: [] }] : [],
    });
  }

  async function checkAgain(rows: DraftRow[]): Promise<void> {
    setTrouble('');
    change({ rows });
    try {
      await check(rows);
    } catch (error) {
      if (!asked.current?.signal.aborted) setTrouble(sentenceOf(error));
    }
  }

  const sendOnce = useEffectEvent(async (key: string, signal: AbortSignal) => {
    const batch = await call(createBatch, {
      headers: { 'idempotency-key': key },
      body: batchBodyOf(draft),
      signal,
    });
    finish(() => onAccepted(batch));
  });
  const refuse = useEffectEvent((error: unknown) => {
    setTrouble(sentenceOf(error));
    change({ step: 'check', key: null });
  });

  const { step, key } = rest;
  useEffect(() => {
    if (step !== 'sending' || key === null) return undefined;
    const leaving = new AbortController();
    keep();
    void (async () => {
      for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
        try {
          return await sendOnce(key, leaving.signal);
        } catch (error) {
          if (leaving.signal.aborted) return undefined;
          // With an answer below 500 the server has done nothing; without one nobody knows, so the key stays.
          if (error instanceof CallFailure && error.status > 0 && error.status < 500) return refuse(error);
          setTrouble(t`The connection is lost. It is tried again by itself; nothing is sent twice.`);
          await pauseOrConnection(pause, leaving.signal);
        }
      }
    })();
    return () => leaving.abort();
  }, [step, key]);

  if (step === 'write')
    return (
      <Dialog
        title={t`Invite somebody`}
        width={640}
        onClose={close}
        actions={
          <>
            <Button onClick={close}>
              <Trans>Cancel</Trans>
            </Button>
            <SubmitButton form={form}>
              {isOne ? t`Send invitation` : t`Check ${countAddresses(entries.length)}`}
            </SubmitButton>
          </>
        }
      >
        <Form form={form}>
          <PeopleField form={form} lists={rest.lists} onListsChange={(lists) => change({ lists })} />
          {isOne && !entries[0]?.name && (
            <TextField label={t`Name (optional)`} autoComplete="off" {...form.text('name')} />
          )}
          <SelectField
            label={t`Role`}
            description={t`Administrators invite others and see everybody who is inside.`}
            options={roleOptions()}
            {...form.text('role')}
          />
          <div className="invite-options">
            <SelectField
              label={t`Language of the mail`}
              options={options.languages}
              {...form.text('language')}
            />
            <SelectField
              label={t`The link works for`}
              options={options.lifetimes}
              {...form.text('lifetimeDays')}
            />
          </div>
          <TextArea
            label={t`Personal message (optional)`}
            description={t`Stands in the e-mail above the link.`}
            {...form.text('message')}
          />
          <WelcomePack
            chosen={form.values.attachmentIds}
            problem={form.errors['attachmentIds']}
            onChange={(chosen) => form.set('attachmentIds', chosen)}
          />
        </Form>
      </Dialog>
    );

  const { invited, sentAgain } = outcomeOf(rest.rows, rest);
  const sending = step === 'sending';
  return (
    <Dialog
      title={sending ? t`Sending the invitations` : t`What will happen`}
      width={760}
      dismissable={!sending}
      onClose={close}
      actions={
        sending ? (
          trouble && (
            <Button
              onClick={() => {
                // It may have been sent all the same; the new dry run says so of each row.
                change({ step: 'check', key: null });
                void checkAgain(rest.rows);
              }}
            >
              <Trans>Back to the list</Trans>
            </Button>
          )
        ) : (
          <>
            <Button onClick={goBack}>
              <Trans>Back</Trans>
            </Button>
            <Button
              variant="primary"
              busy={checking}
              disabled={invited + sentAgain === 0}
              onClick={() => {
                setTrouble('');
                change({ step: 'sending', key: crypto.randomUUID() });
              }}
            >
              <Trans>Send {countOf(invited + sentAgain)}</Trans>
            </Button>
          </>
        )
      }
    >
      <div role="alert">{trouble && <p className="form-errors">{trouble}</p>}</div>
      {sending ? (
        <output>
          <Trans>Handing {countOf(invited + sentAgain)} to the server…</Trans>
        </output>
      ) : (
        <CheckStep
          rows={rest.rows}
          checking={checking}
          sendAgain={rest.sendAgain}
          inviteLookAlikes={rest.inviteLookAlikes}
          onChoice={change}
          onChange={(row) => void checkAgain(rest.rows.map((one) => (one.id === row.id ? row : one)))}
        />
      )}
    </Dialog>
  );
}

function entriesOf({ values, lists }: Pick<InviteDraft, 'values' | 'lists'>): Entry[] {
  return [...readTypedAddresses(values.addresses), ...lists.flatMap((list) => list.entries)];
}

function isEmpty({ values, lists, key }: InviteDraft): boolean {
  return key === null && lists.length === 0 && JSON.stringify(values) === JSON.stringify(emptyDraft.values);
}

function fieldOf(part: string): string {
  return part === 'email' ? 'addresses' : part;
}

function toFieldErrors(error: unknown): FieldErrors {
  if (error instanceof CallFailure) {
    const fields = Object.entries(error.fields);
    if (fields.length > 0) return Object.fromEntries(fields.map(([name, text]) => [fieldOf(name), text]));
    const aboutAddress: string[] = [
      invitationErrors.alreadyInvited.code,
      invitationErrors.alreadyMember.code,
      invitationErrors.domainNotAllowed.code,
    ];
    if (aboutAddress.includes(error.code)) return { addresses: error.message };
  }
  return { form: sentenceOf(error) };
}

/** Waits, but no longer than until the browser has a connection again. */
async function pauseOrConnection(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, milliseconds);
    window.addEventListener('online', go);
    signal.addEventListener('abort', go);
  });
}
