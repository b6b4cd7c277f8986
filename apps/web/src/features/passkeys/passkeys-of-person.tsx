/** A person's passkeys, and a reset of their sign-in, which can be undone for a while. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  allowCodes,
  listPasskeysOf,
  resetSignIn,
  resetUndoMinutes,
  undoResetSignIn,
} from '@vestibule/contract/people/sign-in-reset';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { passkeyEntry } from './passkey-texts.tsx';
import './passkeys.css';

export function PasskeysOfPerson({ personId, name }: { personId: string; name: string }) {
  const query = useApiQuery(listPasskeysOf, {
    key: ['passkeys-of', personId],
    params: { personId },
    changesOf: 'people',
  });

  const { dialog, ask } = useDialog(() => void query.refetch());
  const reset = () =>
    ask({
      title: t`Reset sign-in: ${name}`,
      confirm: t`Reset sign-in`,
      danger: true,
      text: t`For someone who lost their device. In ${resetUndoMinutes} minutes, all their passkeys are removed, they are signed out everywhere, and an e-mail tells them how to create a new one. Until then, you can undo it.`,
      async act() {
        await call(resetSignIn, { params: { personId } });
        toast.success(t`It takes effect in ${resetUndoMinutes} minutes. Until then it can be undone here.`);
      },
    });
  const undo = async () => {
    const isUndone = await runWithErrorToast(() => call(undoResetSignIn, { params: { personId } }));
    if (isUndone) toast.success(t`Undone. Nothing has changed.`);
    await query.refetch();
  };

  const allow = async () => {
    if (await runWithErrorToast(() => call(allowCodes, { params: { personId } })))
      toast.success(t`They can request and enter codes again.`);
    await query.refetch();
  };

  if (!query.data) return <Loading query={query} title={t`The passkeys could not be loaded`} lines={2} />;
  const { rows, has, reset: pendingReset, codesBlocked } = query.data;
  return (
    <div className="passkeys">
      <div className="passkeys-head apart">
        <h3>{t`Passkeys`}</h3>
        {has && pendingReset === null && (
          <Button size="small" onClick={reset}>
            {t`Reset sign-in`}
          </Button>
        )}
      </div>
      <RecordList label={t`Passkeys`} entries={rows.map(passkeyEntry)} />
      {rows.length === 0 && (
        <p className="small-print">{has ? t`None; they sign in with a code by e-mail.` : t`None.`}</p>
      )}
      {codesBlocked && (
        <div className="passkeys-reset apart">
          <output>{t`Codes are limited for now: too many were wrong or requested.`}</output>
          <Button size="small" onClick={allow}>
            {t`Allow codes again`}
          </Button>
        </div>
      )}
      {pendingReset && (
        <div className="passkeys-reset apart">
          <output>
            <Trans>
              {pendingReset.byName ?? pendingReset.by} has reset the sign-in. It takes effect{' '}
              <Moment at={pendingReset.takesEffectAt} ends />.
            </Trans>
          </output>
          <Button size="small" onClick={undo}>
            {t`Undo`}
          </Button>
        </div>
      )}
      {dialog}
    </div>
  );
}
