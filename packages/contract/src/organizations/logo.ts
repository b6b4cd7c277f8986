/** Logo of an organization (R1, R10): shown to its members and invitees. */
import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { logoBodyLimit, logoUpload, settingsErrors } from '../settings.ts';
import { Id, Picture } from '../values.ts';
import { organizationPermissions } from './permissions.ts';

export const changeOrganizationLogo = defineRoute('POST /api/organizations/:organizationId/logo', {
  access: { permission: organizationPermissions.write.name },
  summary: 'Sets or removes the logo of an organization.',
  params: z.object({ organizationId: Id }),
  body: z.strictObject({
    /** Null to remove the logo. */
    picture: z.nullable(logoUpload()),
  }),
  bodyLimit: logoBodyLimit,
  response: z.object({ logo: z.nullable(Picture) }),
  errors: [settingsErrors.logoUnusable],
});
