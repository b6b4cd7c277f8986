/** Every route that changes data and is not only for administrators of the site has a rate limit (429) or a reason. Uploads: upload-limits.test.ts. */
import { undoDeletion } from '@vestibule/contract/attachments';
import {
  actOnOrganizationInvitations,
  checkOrganizationInvitations,
  getOrganizationInvitationLink,
  previewOrganizationInvitation,
  revokeOrganizationInvitation,
  undoOrganizationBatch,
} from '@vestibule/contract/invitations/in-organization';
import { acceptMyInvitation, declineMyInvitation } from '@vestibule/contract/invitations/mine';
import { changeConnection, deleteConnection } from '@vestibule/contract/organizations/connection';
import { addDomain, changeDomain, removeDomain } from '@vestibule/contract/organizations/domains';
import {
  createOrganizationDirectoryToken,
  revokeOrganizationDirectoryToken,
} from '@vestibule/contract/organizations/directory';
import { createOrganizationToken, revokeOrganizationToken } from '@vestibule/contract/organizations/tokens';
import {
  changeOrganizationWebhook,
  createOrganizationWebhook,
  removeOrganizationWebhook,
  resendOrganizationWebhookMessage,
  rotateOrganizationWebhookSecret,
} from '@vestibule/contract/organizations/webhooks';
import { changeOrganizationLogo } from '@vestibule/contract/organizations/logo';
import { declineMembershipRequest, joinOrganization } from '@vestibule/contract/organizations/requests';
import { changeMember, leaveOrganization, removeMember } from '@vestibule/contract/organizations';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { changePreferences } from '@vestibule/contract/profile/me';
import { startPasskeyConfirmation } from '@vestibule/contract/sign-in/confirm';
import { removeIdentity } from '@vestibule/contract/sign-in/identities';
import { removePasskey } from '@vestibule/contract/sign-in/passkeys';
import { endMySession, endOtherSessions } from '@vestibule/contract/sign-in/sessions';
import { changeView, createView, deleteView, saveGridState } from '@vestibule/contract/views';
import type { RouteDefinition } from '@vestibule/contract/route';
import { afterAll, expect, test } from 'vitest';
import { createTestApp } from './test/test-app.ts';
import { contractRoutes } from './test/test-routes.ts';

const unlimited = new Map<RouteDefinition, string>([
  [startPasskeyConfirmation, 'writes nothing'],
  [changePreferences, 'updates columns of the person, without a log entry'],
  [saveGridState, 'one row per list'],
  [createView, 'at most 100 per person and list'],
  [changeView, 'updates a row; only administrators change shared views, which are logged'],
  [deleteView, 'at most one per creation'],
  [signOutEverywhere, 'recorded a limited number of times an hour, and never refused'],
  [undoDeletion, 'restores at most the deleted files'],
  [endMySession, 'at most one per sign-in'],
  [endOtherSessions, 'at most one per sign-in'],
  [removeIdentity, 'at most one per addition'],
  [removePasskey, 'at most one per addition'],
  [changeMember, 'by managers of an organization, and logged'],
  [removeMember, 'at most one per addition'],
  [leaveOrganization, 'at most one per addition'],
  [getOrganizationInvitationLink, 'by managers of an organization, and logged'],
  [revokeOrganizationInvitation, 'at most one per invitation'],
  [undoOrganizationBatch, 'at most one per batch'],
  [actOnOrganizationInvitations, 'mails of each invitation are limited'],
  [checkOrganizationInvitations, 'writes nothing'],
  [previewOrganizationInvitation, 'writes nothing'],
  [addDomain, 'at most 50 per organization'],
  [changeDomain, 'by managers of an organization, and logged'],
  [removeDomain, 'at most one per addition'],
  [createOrganizationToken, 'at most 25 active per person, and logged'],
  [revokeOrganizationToken, 'at most one per token'],
  [createOrganizationDirectoryToken, 'one row per organization, by its managers, and logged'],
  [revokeOrganizationDirectoryToken, 'at most one per creation'],
  [createOrganizationWebhook, 'at most 20 per organization, and logged'],
  [changeOrganizationWebhook, 'by managers of an organization, and logged'],
  [removeOrganizationWebhook, 'at most one per addition'],
  [rotateOrganizationWebhookSecret, 'by managers of an organization, and logged'],
  [resendOrganizationWebhookMessage, 'by managers of an organization, and logged'],
  [changeOrganizationLogo, 'replaces one row, and logged'],
  [joinOrganization, 'at most one request or membership, because an address has one domain'],
  [declineMembershipRequest, 'at most one per request'],
  [changeConnection, 'by managers of an organization, and logged'],
  [deleteConnection, 'at most one per creation'],
  [acceptMyInvitation, 'at most one per invitation'],
  [declineMyInvitation, 'at most one per invitation'],
]);

const t = await createTestApp();
afterAll(() => t.close());

test('every member route that changes data has a rate limit or a listed reason for having none; those of extensions have one', () => {
  const keyOf = ({ method, path }: RouteDefinition) => `${method} ${path}`;
  const withoutLimit = contractRoutes.filter(
    ({ access, method, errors = [] }) =>
      (access === 'member' || typeof access === 'object') &&
      method !== 'GET' &&
      errors.every(({ status }) => status !== 429),
  );
  const [own, ofExtensions] = [false, true].map((isExtension) =>
    withoutLimit.filter((route) => t.extensionRoutes.has(route) === isExtension).map(keyOf),
  );
  expect(own?.toSorted()).toEqual([...unlimited.keys()].map(keyOf).toSorted());
  expect(ofExtensions).toEqual([]);
});
