import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import * as z from 'zod/mini';
import type { InvitationRequest } from '../invitations/create/create-invitations.ts';
import { nameOf } from './protocol/user-attributes.ts';
import { attributesOf, type UserRow } from './user-store.ts';
import type { Actor } from './users.ts';

/** Defaults of the optional invitation fields, which a directory does not provide. */
const defaults = z.parse(z.omit(NewInvitation, { email: true }), {});

/** Returns the invitation of a directory user to the site, or to the organization of the directory. */
export const invitationOf = (
  row: UserRow,
  actor: Actor,
): Omit<InvitationRequest, 'language' | 'lifetimeDays'> => ({
  ...defaults,
  email: row.email,
  emailCanonical: row.email_canonical,
  name: nameOf(attributesOf(row)),
  batchId: null,
  organizationRoleId: null,
  ...actor,
});
