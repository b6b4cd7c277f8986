/** Access tokens of all administrators, in the settings. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { listTokens, revokeToken, type PersonalToken } from '@vestibule/contract/profile/tokens';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { scopes, states } from './token-texts.ts';

export function TokensCard() {
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<PersonalToken | null>(null);
  const tokens = useApiQuery(listTokens, { key: ['tokens'], changesOf: 'tokens' });

  const revoke = async (token: PersonalToken) => {
    await runWithErrorToast(async () => {
      await call(revokeToken, { params: { tokenId: token.id } });
      toast.success(t`“${token.name}” is revoked. Its next call will be refused.`);
    });
    setRevoking(null);
    void tokens.refetch();
  };

  return (
    <Card title={t`Access tokens`} actions={<Button onClick={() => setMaking(true)}>{t`New token`}</Button>}>
      <p className="card-lead">
        <Trans>
          With a token, your programs can call the API in your name, for example to invite people every night.
          See the <a href="/api/docs">API documentation</a>.
        </Trans>
      </p>
      <Loading query={tokens} title={t`The access tokens could not be loaded`} lines={3} />
      {tokens.data && (
        <RecordList
          empty={t`None yet.`}
          entries={tokens.data.rows.map((token) => ({
            id: token.id,
            text: (
              <>
                <strong>{token.name}</strong> <StateBadge of={states()[token.state]} />
              </>
            ),
            detail: <DotSeparated facts={describe(token)} />,
            badges: token.state === 'active' && (
              <Button size="small" aria-label={t`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                {t`Revoke`}
              </Button>
            ),
          }))}
        />
      )}
      {making && <NewTokenDialog onClose={() => setMaking(false)} onMade={() => void tokens.refetch()} />}
      {revoking && (
        <ConfirmDialog
          title={t`Revoke: ${revoking.name}`}
          confirm={t`Revoke token`}
          danger
          onClose={() => setRevoking(null)}
          onConfirm={() => revoke(revoking)}
        >
          <p>
            <Trans>
              The program that uses it is refused from its next call. This cannot be undone; you can create a
              new token.
            </Trans>
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function describe({ owner, scopes: allowed, state, expiresAt, lastUsedAt, lastAddress }: PersonalToken) {
  return [
    owner,
    allowed.map((scope) => scopes()[scope].label).join(', '),
    state === 'active' && (
      <Trans key="expires">
        expires <Moment at={expiresAt} ends />
      </Trans>
    ),
    state === 'expired' && (
      <Trans key="expired">
        expired <Moment at={expiresAt} />
      </Trans>
    ),
    lastUsedAt ? (
      <Trans key="used">
        last used <Moment at={lastUsedAt} /> from {lastAddress ?? t`an unknown address`}
      </Trans>
    ) : (
      t`never used`
    ),
  ];
}
