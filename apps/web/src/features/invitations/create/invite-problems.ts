/** Validation errors of the invite dialog by field. */
import { t } from '@lingui/core/macro';
import { invitationErrors } from '@vestibule/contract/invitations';
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { formatNumber } from '../../../language/formats.ts';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import { problemsByField } from '../../../lib/field-problems.ts';
import type { FieldErrors } from '../../../ui/fields/use-form.ts';
import { countAddresses } from '../invitation-texts.ts';
import { entriesOf, isOne, oneOf, type InviteDraft } from './invite-draft.ts';

/** Validates with the contract's rules. `most` is the maximum number of recipients. */
export function problemsIn(draft: InviteDraft, most: number): FieldErrors {
  const { length } = entriesOf(draft);
  if (length === 0) return { addresses: t`Enter the e-mail address of the person to invite.` };
  if (length > most)
    return {
      addresses: t`There are ${countAddresses(length)}; one list can hold at most ${formatNumber(most)}. Split it and invite one part at a time.`,
    };
  const problems = problemsByField(NewInvitation, {
    ...oneOf(draft),
    ...(!isOne(draft) && { email: 'a@example.com', name: '' }),
  });
  return Object.fromEntries(Object.entries(problems).map(([name, text]) => [fieldOf(name), text]));
}

export function problemsFrom(error: unknown): FieldErrors {
  const aboutAddress: string[] = [
    invitationErrors.alreadyInvited.code,
    invitationErrors.alreadyMember.code,
    invitationErrors.domainNotAllowed.code,
  ];
  if (error instanceof CallFailure && aboutAddress.includes(error.code)) return { addresses: error.message };
  return Object.fromEntries(Object.entries(toFormErrors(error)).map(([name, text]) => [fieldOf(name), text]));
}

function fieldOf(part: string): string {
  return part === 'email' ? 'addresses' : part;
}
