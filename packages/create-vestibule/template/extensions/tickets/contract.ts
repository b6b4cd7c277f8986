/** Tickets of customer organizations: routes, input, access and errors. The server and the screens use them. */
import { defineErrors, defineRoute } from '@vestibule/contract/route';
import { Id, lineOfText, linesOfText, listQuery, Moment, page } from '@vestibule/contract/values';
import * as z from 'zod/mini';

const Status = z.enum(['open', 'closed']);

export const Ticket = z.object({
  id: Id,
  subject: z.string(),
  description: z.string(),
  status: Status,
  /** Name of the member who opened the ticket; null after this person was removed. */
  author: z.nullable(z.string()),
  openedAt: Moment,
});
export type Ticket = z.output<typeof Ticket>;

export const ticketErrors = defineErrors('ticket', {
  404: { notFound: 'This ticket does not exist.' },
  409: { alreadyClosed: 'This ticket is closed already.' },
  429: { tooMany: 'You have changed too many tickets within an hour. Try again later.' },
});

/** Columns for sorting and filtering. */
const columns = ['subject', 'status', 'author', 'openedAt'] as const;

const organizationParams = z.object({ organizationId: Id });
const ticketParams = z.object({ organizationId: Id, ticketId: Id });

export const listTickets = defineRoute('GET /api/organizations/:organizationId/tickets', {
  access: { permission: 'tickets.read' },
  summary: 'Tickets of an organization, paged, sorted, searched and filtered.',
  params: organizationParams,
  query: listQuery(columns, columns),
  response: page(Ticket),
});

export const getTicket = defineRoute('GET /api/organizations/:organizationId/tickets/:ticketId', {
  access: { permission: 'tickets.read' },
  summary: 'One ticket.',
  params: ticketParams,
  response: Ticket,
  errors: [ticketErrors.notFound],
});

export const createTicket = defineRoute('POST /api/organizations/:organizationId/tickets', {
  access: { permission: 'tickets.write' },
  summary: 'Opens a ticket.',
  params: organizationParams,
  body: z.strictObject({
    subject: lineOfText(200).check(z.minLength(1, 'Enter a subject.')),
    description: linesOfText(5_000),
  }),
  response: Ticket,
  errors: [ticketErrors.tooMany],
});

export const closeTicket = defineRoute('POST /api/organizations/:organizationId/tickets/:ticketId/close', {
  access: { permission: 'tickets.close' },
  summary: 'Closes an open ticket.',
  params: ticketParams,
  response: Ticket,
  errors: [ticketErrors.notFound, ticketErrors.alreadyClosed, ticketErrors.tooMany],
});

export const MyTicket = z.object({
  id: Id,
  subject: z.string(),
  status: Status,
  openedAt: Moment,
  organization: z.object({ name: z.string(), slug: z.string() }),
});
export type MyTicket = z.output<typeof MyTicket>;

export const listMyTickets = defineRoute('GET /api/tickets/mine', {
  access: 'member',
  summary: 'The last 100 tickets that the caller opened in any organization, open ones first.',
  response: z.object({ rows: z.array(MyTicket) }),
});

export const countOpenTickets = defineRoute('POST /api/tickets/open-counts', {
  access: 'admin',
  summary:
    'Number of open tickets of each of these organizations. Organizations without open tickets are left out.',
  body: z.strictObject({ organizationIds: z.array(Id).check(z.maxLength(500)) }),
  response: z.object({ counts: z.record(z.string(), z.number()) }),
});
