/** Removes the names and addresses of a person from entries of the audit log and from rows of the archive. */
import type { RedactRow } from '../../../platform/audit/archive-file.ts';
import type { AuditFields, PersonalFields, RedactEntry } from '../../../platform/audit/audit-erasure.ts';
import { replaceInJson } from '../../../platform/database/replace-everywhere.ts';
import type { PersonTraces } from './erasure-traces.ts';

export const erasedPlaceholder = 'erased';

export function createRedaction(
  traces: PersonTraces,
  pseudonym: string,
): { redactEntry: RedactEntry; redactRow: RedactRow } {
  const people = new Set(traces.personIds);
  const invitations = new Set(traces.invitationIds);
  const addresses = new Set(traces.addresses);

  function replaceTexts<Value>(value: Value, isAboutThem: boolean): Value {
    const patterns = isAboutThem ? [...traces.everywhere, ...traces.aboutThem] : traces.everywhere;
    const replaced = replaceInJson(value, patterns, pseudonym);
    const networks = traces.networks ? [traces.networks] : [];
    return replaceInJson(replaced, networks, erasedPlaceholder) as Value;
  }

  // Network addresses of other people's entries and sign-ins are not replaced. `traces.networks` can contain them, because the archive is
  // not searched for other people's use of a network.

  function redactEntry(entry: AuditFields): PersonalFields | null {
    const isActor = people.has(entry.actor_id ?? '');
    const isInvitation = entry.target_type === 'invitation' && invitations.has(entry.target_id);
    const isPerson = entry.target_type === 'person' && people.has(entry.target_id);
    const { actor_label, target_label, address, detail } = entry;
    const before: PersonalFields = { actor_label, target_label, address, detail };
    const after = replaceTexts(before, isActor || isInvitation || isPerson);
    // Unauthenticated requests for an invitation came from its invitee.
    const isFromInvitee = isInvitation && entry.actor_id === null && address !== 'local';
    if (isActor) after.actor_label = pseudonym;
    if (isActor || isFromInvitee) after.address = erasedPlaceholder;
    else if (entry.actor_id !== null) after.address = address;
    return isEqual(before, after) ? null : after;
  }

  function redactRow(kind: string, before: Record<string, unknown>): Record<string, unknown> | null {
    if (kind === 'activity') {
      const redacted = redactEntry({ ...before, actor_id: before['actor_id'] ?? null } as AuditFields);
      return redacted && { ...before, ...redacted };
    }
    const isTheirs =
      people.has(String(before['person_id'] ?? before['redeemed_by'])) ||
      addresses.has(String(before['email_canonical'])) ||
      (kind === 'invitations' && invitations.has(String(before['id'])));
    if (kind === 'sign_ins' && !isTheirs) return null;
    const after = replaceTexts(before, isTheirs);
    if (kind === 'sign_ins')
      Object.assign(after, { address: erasedPlaceholder, user_agent: erasedPlaceholder });
    if (kind === 'invitations' && isTheirs)
      Object.assign(after, {
        email: pseudonym,
        email_canonical: pseudonym,
        name: '',
        message: '',
        mail_error: null,
        events: [],
      });
    return isEqual(before, after) ? null : after;
  }

  return { redactEntry, redactRow };
}

const isEqual = (before: object, after: object) => JSON.stringify(before) === JSON.stringify(after);
