/** Settings, "Access tokens": those of all administrators, with when they were last used; making and revoking them. */
import { useQuery } from '@tanstack/react-query';
import { listTokens, revokeToken, type PersonalToken } from '@vestibule/contract/tokens';
import { useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/changes.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Card } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { scopes, states } from './token-words.ts';
import './tokens.css';

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const at = (time: string) => moment.format(new Date(time));

export function TokensCard() {
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<PersonalToken | null>(null);
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: ({ signal }) => call(listTokens, { signal }) });
  useChanges('tokens', () => void tokens.refetch());

  const revoke = async (token: PersonalToken) => {
    try {
      await call(revokeToken, { params: { tokenId: token.id } });
      toast.success(`“${token.name}” is revoked. Its next call is refused.`);
    } catch (error) {
      const { message, reference } = describeFailure(error);
      toast.failure(message, { reference });
    }
    setRevoking(null);
    void tokens.refetch();
  };

  const failure = tokens.error && !tokens.data ? describeFailure(tokens.error) : null;
  return (
    <Card title="Access tokens" actions={<Button onClick={() => setMaking(true)}>New token</Button>}>
      <p className="tokens-quiet">
        With a token a program of yours calls the API in your name, for example to invite people every night.
        The calls are described in the <a href="/api/docs">API documentation</a>.
      </p>
      {tokens.isPending && <Skeleton lines={3} />}
      {failure && (
        <Failure
          title="The access tokens could not be loaded"
          reference={failure.reference}
          onRetry={() => tokens.refetch()}
        >
          {failure.message}
        </Failure>
      )}
      {tokens.data?.rows.length === 0 && <p>There are none yet.</p>}
      {tokens.data && tokens.data.rows.length > 0 && (
        <ul className="tokens">
          {tokens.data.rows.map((token) => (
            <li key={token.id}>
              <div>
                <strong>{token.name}</strong>{' '}
                <Badge tone={states[token.state].tone}>{states[token.state].label}</Badge>
                <small>
                  Of {token.owner}. {token.scopes.map((scope) => scopes[scope].label).join(', ')}.
                </small>
                <small>
                  {token.state === 'active' ? 'Works until' : 'Until'} {at(token.expiresAt)}.{' '}
                  {token.lastUsedAt
                    ? `Last used ${at(token.lastUsedAt)} from ${token.lastAddress ?? 'an unknown address'}.`
                    : 'Never used.'}
                </small>
              </div>
              {token.state === 'active' && (
                <Button size="small" aria-label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
                  Revoke
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {making && <NewTokenDialog onClose={() => setMaking(false)} onMade={() => void tokens.refetch()} />}
      {revoking && (
        <ConfirmDialog
          title={`Revoke: ${revoking.name}`}
          confirm="Revoke token"
          danger
          onClose={() => setRevoking(null)}
          onConfirm={() => revoke(revoking)}
        >
          <p>
            The program that uses it is refused from its next call on. It cannot be taken back; make a new
            token then.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
