/** Access tokens of all administrators, in the settings, or of an organization. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { OrganizationToken } from '@vestibule/contract/organizations/tokens';
import { listTokens, revokeToken, type PersonalToken } from '@vestibule/contract/profile/tokens';
import { routeHere } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { DotSeparated, RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { scopeLabel, states, type TokenOrganization } from './token-texts.ts';

type Token = PersonalToken | OrganizationToken;

export function TokensCard({ organization = null }: { organization?: TokenOrganization | null }) {
  const tokens = useApiQuery(routeHere(listTokens), {
    key: ['tokens', organization?.organizationId ?? null],
    changesOf: 'tokens',
  });
  const rows: Token[] = tokens.data?.rows ?? [];

  const { dialog, open, ask } = useDialog(() => void tokens.refetch());
  const create = () =>
    open((close) => (
      <NewTokenDialog organization={organization} onClose={close} onMade={() => void tokens.refetch()} />
    ));
  const revoke = ({ id: tokenId, name }: Token) =>
    ask({
      title: t`Revoke: ${name}`,
      confirm: t`Revoke token`,
      danger: true,
      text: t`The program that uses it is refused from its next call. This cannot be undone; you can create a new token.`,
      async act() {
        await call(routeHere(revokeToken), { params: { tokenId } });
        toast.success(t`“${name}” is revoked. Its next call will be refused.`);
      },
    });

  return (
    <Card
      title={t`Access tokens`}
      actions={organization?.isMember !== false && <Button onClick={create}>{t`New token`}</Button>}
    >
      <p className="card-lead">
        {organization ? (
          <Trans>
            With a token, a program can call the API of this organization in the name of a member, with at
            most the permissions of the member’s role. See the <a href="/api/docs">API documentation</a>.
          </Trans>
        ) : (
          <Trans>
            With a token, your programs can call the API in your name, for example to invite people every
            night. See the <a href="/api/docs">API documentation</a>.
          </Trans>
        )}
      </p>
      <Loading query={tokens} title={t`The access tokens could not be loaded`} lines={3} />
      {tokens.data && (
        <RecordList
          empty={t`None yet.`}
          entries={rows.map((token) => ({
            id: token.id,
            text: (
              <>
                <strong>{token.name}</strong> <StateBadge of={states()[token.state]} />
              </>
            ),
            detail: <DotSeparated facts={describe(token, organization)} />,
            badges: isUnexpired(token) && (
              <Button size="small" aria-label={t`Revoke ${token.name}`} onClick={() => revoke(token)}>
                {t`Revoke`}
              </Button>
            ),
          }))}
        />
      )}
      {dialog}
    </Card>
  );
}

function grantsOf(token: Token, organization: TokenOrganization | null): string[] {
  if ('scopes' in token) return token.scopes.map((scope) => scopeLabel(scope));
  return token.permissions.map((name) => organization?.labelOf(name) ?? name);
}

const isUnexpired = ({ state }: Token) => state === 'active' || state === 'suspended';

function describe(token: Token, organization: TokenOrganization | null) {
  const { owner, state, expiresAt, lastUsedAt, lastAddress } = token;
  return [
    owner,
    grantsOf(token, organization).join(', '),
    isUnexpired(token) && (
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
