/** Routes for people who open applications. Separate from `applications.ts`, because the login screen and the dashboard load them. */
import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { Id, lineOfText } from '../values.ts';

export const applicationAddressMaximum = 300;

/** `iconUrl` is a path on this site that changes with the icon; null without one. */
export const applicationSummary = {
  id: Id,
  name: z.string(),
  address: z.string(),
  iconUrl: z.nullable(z.string()),
};

export const getApplicationName = defineRoute('GET /api/applications/name', {
  access: 'public',
  summary: 'The name of the application at an address, for the login screen.',
  query: z.object({ address: lineOfText(applicationAddressMaximum) }),
  response: z.object({ name: z.nullable(z.string()) }),
});

export const listMyApplications = defineRoute('GET /api/me/applications', {
  access: 'member',
  summary: 'The applications that the caller may open, by name.',
  response: z.object({ rows: z.array(z.object(applicationSummary)) }),
});
