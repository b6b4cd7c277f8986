import { t } from '@lingui/core/macro';
import { IconFingerprint } from '@tabler/icons-react';
import type { RouteResult } from '@vestibule/contract/route';
import {
  addPasskey,
  startPasskey,
  listMyPasskeys,
  removePasskey,
  renamePasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { describeFailure } from '../../language/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { createPasskey } from '../../lib/sign-in/new-passkey.ts';
import { PasskeyFailure, passkeyUnavailableReason } from '../../lib/sign-in/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { passkeyEntry } from './passkey-texts.tsx';
import './passkeys.css';
import { FormDialog } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { useForm } from '../../ui/fields/use-form.ts';

type MyPasskeyList = RouteResult<typeof listMyPasskeys>;
type MyPasskey = MyPasskeyList['rows'][number];

export function MyPasskeys() {
  const query = useApiQuery(listMyPasskeys, {
    key: ['my-passkeys'],
    refetchOnMount: 'always',
    changesOf: 'me',
  });
  const { dialog, open, ask } = useDialog(() => void query.refetch());
  const rename = (passkey: MyPasskey) =>
    open((close) => <RenamePasskeyDialog passkey={passkey} onClose={close} />);
  const add = async () => {
    try {
      const { attempt, options } = await call(startPasskey, { body: {} });
      const passkey = await call(addPasskey, { body: { attempt, response: await createPasskey(options) } });
      toast.success(t`Added. We have e-mailed you a confirmation.`);
      await query.refetch();
      rename(passkey);
    } catch (error) {
      toast.failure(error instanceof PasskeyFailure ? error.message : describeFailure(error));
    }
  };
  const remove = async (passkey: MyPasskey) => {
    await call(removePasskey, { params: { passkeyId: passkey.id } });
    toast.success(t`Removed. We have e-mailed you a confirmation.`);
    const { data } = await query.refetch();
    if (!data?.userId) return;
    const { rpId, userId, rows } = data;
    const ids = rows.map(({ credentialId }) => credentialId);
    await import('../../lib/sign-in/passkey-signals.ts').then(
      ({ signalAcceptedPasskeys }) => signalAcceptedPasskeys(rpId, userId, ids),
      // The passkey is removed even if the device cannot be notified.
      () => {},
    );
  };
  const askToRemove = (passkey: MyPasskey) =>
    ask({
      title: t`Remove ${passkey.name}`,
      confirm: t`Remove`,
      danger: true,
      text: t`It no longer signs you in anywhere. If your device still offers it, delete it in the device's settings too.`,
      act: () => remove(passkey),
    });

  if (!query.data) return <Loading query={query} title={t`Your passkeys could not be loaded`} lines={2} />;
  const why = passkeyUnavailableReason();
  return (
    <div className="passkeys">
      <div className="passkeys-head apart">
        <h3>{t`Passkeys`}</h3>
        {why === null && (
          <Button size="small" icon={<IconFingerprint size={18} stroke={1.75} />} onClick={add}>
            {t`Add a passkey`}
          </Button>
        )}
      </div>
      <RecordList
        label={t`Passkeys`}
        entries={query.data.rows.map((passkey) => ({
          ...passkeyEntry(passkey),
          badges: (
            <span className="passkeys-actions button-row">
              <Button size="small" aria-label={t`Rename ${passkey.name}`} onClick={() => rename(passkey)}>
                {t`Rename`}
              </Button>
              <Button
                size="small"
                aria-label={t`Remove ${passkey.name}`}
                onClick={() => askToRemove(passkey)}
              >
                {t`Remove`}
              </Button>
            </span>
          ),
        }))}
      />
      <p className="small-print">{codesHint(query.data)}</p>
      {why !== null && <p className="small-print">{why}</p>}
      {dialog}
    </div>
  );
}

function codesHint({ rows, codes }: MyPasskeyList): string {
  const enough = codes === 'enough' ? t`You can also sign in with a code by e-mail.` : '';
  if (rows.length === 0)
    return `${t`None yet. A passkey lets you sign in with your fingerprint, face or PIN: faster than a code, and impossible to guess.`} ${enough}`;
  if (enough) return enough;
  return codes === 'only-for-a-passkey'
    ? t`If you lose them all, a code by e-mail lets you create a new one.`
    : t`You cannot sign in with a code by e-mail here.`;
}

const nameMaximumLength = 60;

function RenamePasskeyDialog({
  passkey,
  onClose,
}: {
  passkey: { id: string; name: string };
  onClose: () => void;
}) {
  const form = useForm({
    initial: { name: passkey.name },
    validate: ({ name }) => (name.trim() === '' ? { name: t`Give it a name.` } : {}),
    async onSubmit({ name }) {
      await call(renamePasskey, { params: { passkeyId: passkey.id }, body: { name: name.trim() } });
      onClose();
    },
  });
  return (
    <FormDialog title={t`Name of the passkey`} submit={t`Save`} form={form} onClose={onClose}>
      <TextField
        label={t`Name`}
        description={t`What you call the device, such as “Phone”.`}
        autoComplete="off"
        maxLength={nameMaximumLength}
        {...form.text('name')}
      />
    </FormDialog>
  );
}
