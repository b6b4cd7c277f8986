/** What an administrator may do to a person: which change is offered when, what its dialog says, and its call. */
import {
  changeRole,
  disablePerson,
  enablePerson,
  removePerson,
  type Person,
} from '@vestibule/contract/people';
import { call } from '../../lib/call.ts';

export type PersonChange = {
  /** The entry in the row's menu and the button of the dialog. */
  label: string;
  danger: boolean;
  isOffered: (person: Person) => boolean;
  /** What follows from it, in a sentence. */
  consequence: (person: Person) => string;
  apply: (person: Person) => Promise<unknown>;
  /** What the toast says afterwards. */
  done: (person: Person) => string;
};

const ofPerson = ({ id }: Person) => ({ params: { personId: id } });

export const personChanges: readonly PersonChange[] = [
  {
    label: 'Make administrator',
    danger: false,
    isOffered: ({ role }) => role === 'member',
    consequence: ({ displayName }) =>
      `${displayName} will be able to invite and remove people, and to make others administrators.`,
    apply: (person) => call(changeRole, { ...ofPerson(person), body: { role: 'admin' } }),
    done: ({ displayName }) => `${displayName} is an administrator now.`,
  },
  {
    label: 'Make member',
    danger: false,
    isOffered: ({ role }) => role === 'admin',
    consequence: ({ displayName }) =>
      `${displayName} stays inside, but can no longer invite or manage people. It takes effect at once.`,
    apply: (person) => call(changeRole, { ...ofPerson(person), body: { role: 'member' } }),
    done: ({ displayName }) => `${displayName} is a member now.`,
  },
  {
    label: 'Enable',
    danger: false,
    isOffered: ({ status }) => status === 'disabled',
    consequence: ({ displayName }) => `${displayName} can sign in again.`,
    apply: (person) => call(enablePerson, ofPerson(person)),
    done: ({ displayName }) => `${displayName} is enabled again.`,
  },
  {
    label: 'Disable',
    danger: true,
    isOffered: ({ status }) => status === 'active',
    consequence: ({ displayName }) =>
      `Everything ${displayName} does from now on is refused, in every open tab, until somebody enables them again.`,
    apply: (person) => call(disablePerson, ofPerson(person)),
    done: ({ displayName }) => `${displayName} is disabled.`,
  },
  {
    label: 'Remove',
    danger: true,
    isOffered: () => true,
    consequence: ({ displayName }) =>
      `${displayName} loses access at once and disappears from this list. To come back they need a new invitation.`,
    apply: (person) => call(removePerson, ofPerson(person)),
    done: ({ displayName }) => `${displayName} was removed.`,
  },
];
