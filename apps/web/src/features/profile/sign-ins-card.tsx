/** Recent sign-ins in the profile, and signing out everywhere. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { signOutEverywhere, type OwnSignIn } from '@vestibule/contract/profile';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { CheckBox } from '../../ui/fields/check-box.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';

const maximumSignIns = 50;

export function SignInsCard({
  signIns,
  workingTokens,
  onSignedOut,
}: {
  signIns: OwnSignIn[];
  workingTokens: number;
  /** Called after the user was signed out everywhere. Must call the server: the refusal of that call signs out this page, too. */
  onSignedOut: () => Promise<unknown>;
}) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Card
      title={t`My sign-ins`}
      actions={<Button onClick={() => setConfirming(true)}>{t`Sign out everywhere`}</Button>}
    >
      <p className="card-lead">
        <Trans>
          See something that was not you? Sign out everywhere, then choose a new password or remove passkeys
          that are not yours.
        </Trans>
      </p>
      <RecordList
        label={t`Sign-ins`}
        entries={signIns.map((signIn) => ({
          id: signIn.id,
          text: <Moment at={signIn.at} />,
          detail: signInText(signIn),
          badges: (
            <>
              {signIn.current && <Badge tone="accent">{t`This browser`}</Badge>}
              {signIn.ended && <Badge>{t`Signed out`}</Badge>}
            </>
          ),
        }))}
      />
      {signIns.length >= maximumSignIns && (
        <p className="profile-quiet small-print">{t`Older ones are not kept.`}</p>
      )}
      {isConfirming && (
        <SignOutDialog
          workingTokens={workingTokens}
          onSignedOut={onSignedOut}
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  );
}

function SignOutDialog({
  workingTokens,
  onSignedOut,
  onClose,
}: {
  workingTokens: number;
  onSignedOut: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [revokeTokens, setRevokeTokens] = useState(false);
  const signOut = async () => {
    const isDone = await runWithErrorToast(async () => {
      await call(signOutEverywhere, { body: { revokeTokens } });
      await onSignedOut();
    });
    if (!isDone) onClose();
  };
  return (
    <ConfirmDialog
      title={t`Sign out everywhere`}
      confirm={t`Sign out everywhere`}
      danger
      onClose={onClose}
      onConfirm={signOut}
    >
      <p>
        <Trans>
          You are signed out of every browser immediately, including this one. Anything not saved there is
          lost. Then sign in again.
        </Trans>
      </p>
      {workingTokens > 0 && (
        <CheckBox className="profile-tokens" checked={revokeTokens} onChange={setRevokeTokens}>
          <Plural
            value={workingTokens}
            one="Revoke my access token as well. Otherwise it keeps working."
            other="Revoke my # access tokens as well. Otherwise they keep working."
          />
        </CheckBox>
      )}
    </ConfirmDialog>
  );
}
