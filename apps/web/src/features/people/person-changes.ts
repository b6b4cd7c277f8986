/** Changes that administrators may make to people: availability, texts and calls. */
import { plural, t } from '@lingui/core/macro';
import {
  changeRole,
  disablePerson,
  enablePerson,
  removePerson,
  signOutPerson,
  type PeopleAction,
  type Person,
} from '@vestibule/contract/people';
import type { RemovalFileOptions } from '@vestibule/contract/people/removed';
import { isAlreadyInState } from '@vestibule/contract/rules/skipped';
import { call } from '../../lib/call.ts';
import type { CountText } from '../../ui/grid/skipped.ts';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { countOf } from './person-texts.ts';

export type PersonChange = {
  action: PeopleAction;
  label: string;
  danger: boolean;
  isMain?: true;
  /** Action that reverts this one. If there is one, no confirmation is needed. */
  undoneBy?: PeopleAction;
  isOffered: (person: Person) => boolean;
  consequence: string;
  apply: (person: Person, files: RemovalFileOptions) => Promise<Person | { id: string; email: string }>;
  done: (name: string) => string;
  doneToMany: (count: number) => string;
};

/** The version prevents overwriting a concurrent change. */
const versionedRequest = ({ id, version }: Person) => ({ params: { personId: id }, query: { version } });

export const personChanges = (): readonly PersonChange[] => [
  {
    action: 'makeAdmin',
    isMain: true,
    label: t`Make administrator`,
    danger: false,
    isOffered: ({ role }) => role === 'member',
    consequence: t`They will be able to invite and remove people, make others administrators and change settings. They are notified by e-mail.`,
    apply: (person) => call(changeRole, { ...versionedRequest(person), body: { role: 'admin' } }),
    done: (name) => t`${name} is now an administrator.`,
    doneToMany: (count) =>
      plural(count, { one: '# person made an administrator.', other: '# people made administrators.' }),
  },
  {
    action: 'makeMember',
    isMain: true,
    label: t`Make member`,
    danger: false,
    isOffered: ({ role }) => role === 'admin',
    consequence: t`They can no longer invite or manage people. This takes effect immediately, including for access tokens. They are notified by e-mail.`,
    apply: (person) => call(changeRole, { ...versionedRequest(person), body: { role: 'member' } }),
    done: (name) => t`${name} is now a member.`,
    doneToMany: (count) => plural(count, { one: '# person made a member.', other: '# people made members.' }),
  },
  {
    action: 'enable',
    isMain: true,
    label: t`Enable`,
    danger: false,
    isOffered: ({ status }) => status === 'disabled',
    consequence: t`They can sign in again.`,
    apply: (person) => call(enablePerson, versionedRequest(person)),
    done: (name) => t`${name} is enabled again.`,
    doneToMany: (count) => t`${countOf(count)} enabled again.`,
  },
  {
    action: 'disable',
    isMain: true,
    undoneBy: 'enable',
    label: t`Disable`,
    danger: true,
    isOffered: ({ status }) => status === 'active',
    consequence: t`Everything they do from now on is refused, in every open tab, until an administrator enables them again. They are notified by e-mail.`,
    apply: (person) => call(disablePerson, versionedRequest(person)),
    done: (name) => t`${name} is disabled.`,
    doneToMany: (count) => t`${countOf(count)} disabled.`,
  },
  {
    action: 'signOut',
    label: t`Sign out everywhere`,
    danger: false,
    isOffered: ({ status }) => status === 'active',
    consequence: t`They have to sign in again on every device. Open tabs say so immediately. Access tokens keep working.`,
    apply: (person) => call(signOutPerson, versionedRequest(person)),
    done: (name) => t`${name} is signed out everywhere.`,
    doneToMany: (count) => t`${countOf(count)} signed out everywhere.`,
  },
  {
    action: 'remove',
    label: t`Remove`,
    danger: true,
    isOffered: () => true,
    consequence: t`They lose access immediately and disappear from this list, with their sign-ins, views and access tokens. What they did stays in the activity log. To return, they need a new invitation.`,
    apply: (person, files) => {
      const { params, query } = versionedRequest(person);
      return call(removePerson, { params, query: { ...query, ...files } });
    },
    done: (name) => t`${name} was removed.`,
    doneToMany: (count) => t`${countOf(count)} removed.`,
  },
];

/** Changes one person and shows a toast. Returns whether it succeeded. `onChanged` runs after an undo. */
export const changeOne = (
  change: PersonChange,
  person: Person,
  { files = {}, onChanged }: { files?: RemovalFileOptions; onChanged?: () => void } = {},
): Promise<boolean> =>
  runWithErrorToast(async () => {
    const after = await change.apply(person, files);
    const undo = personChanges().find(({ action }) => action === change.undoneBy);
    toast.success(
      change.done(person.displayName),
      undo && 'version' in after ? { undo: () => changeOne(undo, after).finally(() => onChanged?.()) } : {},
    );
  });

const alreadyReasons: Partial<Record<PeopleAction, CountText>> = {
  makeAdmin: (count) => plural(count, { one: '# is an administrator', other: '# are administrators' }),
  makeMember: (count) => plural(count, { one: '# is a member', other: '# are members' }),
  enable: (count) => plural(count, { one: '# is active', other: '# are active' }),
  disable: (count) => plural(count, { one: '# is disabled', other: '# are disabled' }),
};
const selfReason: CountText = () => t`you`;

/** Returns why the person is skipped, or null. `ownId` is the signed-in user. */
export function skipReason({ action }: PersonChange, person: Person, ownId: string): CountText | null {
  if (person.id === ownId) return selfReason;
  return isAlreadyInState(action, person) ? (alreadyReasons[action] ?? null) : null;
}
