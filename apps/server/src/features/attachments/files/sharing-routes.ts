import { attachmentErrors } from '@vestibule/contract/attachments/errors';
import {
  findPeopleToShareWith,
  listShares,
  shareAttachment,
  sharingModes,
  type ShareablePerson,
} from '@vestibule/contract/attachments';
import { rowsOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { canonicalEmail } from '../../../platform/identity/canonical-email.ts';
import { containsOperator } from '../../../platform/lists/list-conditions.ts';
import { createAttachmentChanges, denialReason, requireFile } from './attachment-changes.ts';
import { toAttachment } from './attachment-store.ts';
import type { FileLimits } from './file-limits.ts';
import { findInvitees, findInviteesOf } from './invitation-attachments.ts';

export function sharingRoutes(deps: DatabaseDeps & { fileLimits: FileLimits }): Implementation[] {
  const { database, fileLimits } = deps;
  const { change, share } = createAttachmentChanges(deps);
  const lookUps = createRateLimit(deps, { name: 'people to share with', maximum: 60, windowSeconds: 60 });

  return [
    implement(shareAttachment, async (call) => {
      const { personIds, invitationIds = [] } = call.body;
      await fileLimits.changes(call.caller, 1 + personIds.length + invitationIds.length);
      const file = await change(call, 'owner', (transaction, before) =>
        share(transaction, before, call.body, call),
      );
      return toAttachment(database, file, call.caller, new Date(deps.now()));
    }),

    implement(listShares, async ({ params, caller }) => {
      const file = await requireFile(database, params.attachmentId, caller);
      if (denialReason(file, caller, 'owner or administrator') !== null)
        throw fail(attachmentErrors.ownerOnly);
      const rows = await rowsOf<ShareablePerson>(database, {
        text: `select id, display_name as "displayName", email, false as invited
               from attachment_shares join people on id = person_id
               where attachment_id = $1 order by display_name_folded collate alphabetical, id`,
        values: [file.id],
      });
      const invited = caller.isAdmin ? await findInviteesOf(database, file.id, new Date(deps.now())) : [];
      return {
        sharing:
          file.sharing === sharingModes.private && invited.length > 0 ? sharingModes.people : file.sharing,
        people: [...rows, ...invited],
      };
    }),

    implement(findPeopleToShareWith, async ({ query: { search }, caller }) => {
      assertWithinRateLimit(await lookUps.take(caller.id));
      const values: unknown[] = [caller.id];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const condition = caller.isAdmin
        ? `search ${containsOperator(search, parameter)}`
        : `email_canonical = ${parameter(canonicalEmail(search))}`;
      const rows = await rowsOf<ShareablePerson>(database, {
        text: `select id, display_name as "displayName", email, false as invited from people
               where ${condition} and status = 'active' and id <> $1 order by display_name_folded collate alphabetical, id limit 10`,
        values,
      });
      const invited = caller.isAdmin ? await findInvitees(database, search, new Date(deps.now())) : [];
      return { people: [...rows, ...invited] };
    }),
  ];
}
