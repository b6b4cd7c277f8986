/** Settings, "Sign-in": each way in and how it does; how long sessions last, and what holds for a domain. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { settingBounds } from '@vestibule/contract/settings/rules';
import { listSignInWays, type SignInWayState } from '@vestibule/contract/sign-in';
import { formatMoment } from '../../language/formats.ts';
import { tell } from '../../language/tell.ts';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { nameOfWay } from '../../lib/way-name.ts';
import { Failure } from '../../ui/failure.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SectionForm, type SettingField } from './form/section-form.tsx';
import type { SettingsSection } from './form/setting-form.ts';

export function SignInSection({ hasPasskeys, ...section }: SettingsSection & { hasPasskeys: boolean }) {
  const ways = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => call(listSignInWays, { signal }),
  });
  const [hoursLeast, hoursMost] = settingBounds.sessionIdleHours;
  const [daysLeast, daysMost] = settingBounds.sessionDays;
  return (
    <Card
      title={t`Sign-in`}
      actions={
        (ways.data?.rows.length ?? 0) > 1 && (
          <Link to="/layout/people/move" className="button button-secondary button-medium">
            <Trans>Move people</Trans>
          </Link>
        )
      }
    >
      {ways.isPending && <Skeleton lines={2} />}
      {ways.isError && (
        <Failure
          title={t`The ways to sign in could not be loaded.`}
          {...describeFailure(ways.error)}
          onRetry={() => ways.refetch()}
        />
      )}
      {ways.data && (
        <RecordList
          entries={ways.data.rows.map((way) => ({
            id: way.id,
            text: way.kind === 'passkeys' ? nameOfWay(way.name) : `${way.name} (${way.host})`,
            detail: stateOf(way),
          }))}
        />
      )}
      <SectionForm
        section={section}
        draft="settings-sign-in"
        fields={[
          ...(hasPasskeys ? passkeyFields() : []),
          {
            name: 'sessionIdleHours',
            label: t`Sign out when idle (hours)`,
            description: t`After this long without activity, ${hoursLeast} to ${hoursMost} hours.`,
            kind: 'number',
          },
          {
            name: 'sessionDays',
            label: t`Sign out at the latest (days)`,
            description: t`Even when active, ${daysLeast} to ${daysMost} days after signing in.`,
            kind: 'number',
          },
          {
            name: 'signInDomains',
            label: t`Domains`,
            description: t`One per line: a domain and the provider its people sign in with, such as “example.com acme”. Add “open” to let them in without an invitation.`,
            kind: 'lines',
          },
        ]}
      />
    </Card>
  );
}

const passkeyFields = (): SettingField[] => [
  {
    name: 'passkeyRequired',
    label: t`Passkey required`,
    description: t`Whoever needs one gets in by a code only to make it.`,
    kind: 'choice',
    options: [
      { value: 'none', label: t`For nobody` },
      { value: 'administrators', label: t`For administrators` },
      { value: 'everybody', label: t`For everybody` },
    ],
  },
  {
    name: 'codeBeforePasskey',
    label: t`Accepting an invitation`,
    description: t`A code shows that whoever has the link also reads the invited mailbox. Invitations of administrators always need one.`,
    kind: 'choice',
    options: [
      { value: 'false', label: t`With the link alone` },
      { value: 'true', label: t`With the link and a mailed code` },
    ],
  },
];

/** With B2C the browser holds the tokens: the server sees none of it, and has no session. */
function stateOf({ kind, lastSuccessAt, lastFailureAt, lastFailure }: SignInWayState): string {
  if (kind === 'b2c') return t`The browser keeps the sign-in; there are no sessions here.`;
  const worked =
    lastSuccessAt === null ? t`Nobody has signed in yet.` : t`Last sign-in: ${formatMoment(lastSuccessAt)}.`;
  if (lastFailureAt === null || lastFailure === null) return worked;
  const why = tell(lastFailure);
  return `${worked} ${t`Last failure: ${formatMoment(lastFailureAt)}. ${why}`}`;
}
