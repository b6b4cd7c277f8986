/** Facts about a person, for their page and the side panel. */
import { t } from '@lingui/core/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { personErrors, type ListedPerson, type Person, listSignIns } from '@vestibule/contract/people';
import { roles, statuses, methodLabels } from './person-texts.ts';
import { CallFailure } from '../../language/call-failure.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import type { Fact } from '../../ui/facts.tsx';
import { Address, PersonCell } from '../../ui/person/person.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { Loading } from '../../ui/states.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import './people.css';

const formatTime = (time: string | null) => (time === null ? t`Never` : <Moment at={time} />);

/** Returns whether the error means that the person is removed. A malformed id (400) counts as removed. */
export const isRemoved = (error: unknown): boolean =>
  error instanceof CallFailure && (error.code === personErrors.notFound.code || error.status === 400);

export function personFactsOf(person: ListedPerson, signInMethods: readonly SignInMethod[]): Fact[] {
  const inviter = personOrEmail(person.invitedBy, person.inviter);
  const facts = {
    email: { name: t`E-mail`, value: <Address of={person.email} /> },
    role: { name: t`Role`, value: <StateBadge of={roles()[person.role]} /> },
    status: { name: t`Status`, value: <StateBadge of={statuses()[person.status]} /> },
    joinedAt: { name: t`Joined`, value: formatTime(person.joinedAt) },
    invitedBy: { name: t`Invited by`, value: inviter ? <PersonCell person={inviter} /> : '–' },
    ways: { name: t`Signs in with`, value: methodLabels(person.ways, signInMethods) },
    lastSignInAt: { name: t`Last sign-in`, value: formatTime(person.lastSignInAt) },
    lastSeenAt: { name: t`Last seen`, value: formatTime(person.lastSeenAt) },
  } satisfies Record<Exclude<keyof Person, 'id' | 'displayName' | 'version'>, Fact>;
  return Object.values(facts);
}

export function SignIns({ personId }: { personId: string }) {
  const query = useApiQuery(listSignIns, { key: ['person', personId, 'sign-ins'], params: { personId } });
  if (!query.data) return <Loading query={query} title={t`The sign-ins could not be loaded`} lines={4} />;
  if (query.data.rows.length === 0) return <p className="small-print">{t`Not signed in yet.`}</p>;
  return (
    <>
      <RecordList
        label={t`Sign-ins`}
        entries={query.data.rows.map((signIn) => ({
          id: signIn.id,
          text: <Moment at={signIn.at} />,
          detail: signInText(signIn),
        }))}
      />
      {query.data.rows.length >= 50 && <p className="small-print">{t`Older ones are not kept.`}</p>}
    </>
  );
}
