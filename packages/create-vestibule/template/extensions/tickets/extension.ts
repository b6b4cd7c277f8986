/** Tickets: members of an organization open, read and close the tickets of their organization. */
import {
  assertWithinRateLimit,
  createListReader,
  createRateLimit,
  defineExtension,
  execute,
  fail,
  implement,
  onlyRowOf,
  recordChange,
  rowOf,
  type Queryable,
} from '@vestibule/server/extension';
import {
  closeTicket,
  countMyTickets,
  createTicket,
  getTicket,
  listTickets,
  ticketErrors,
  type Ticket,
} from './contract.ts';

type TicketRow = {
  id: string;
  subject: string;
  description: string;
  status: Ticket['status'];
  author: string | null;
  opened_at: Date;
};

/** Tickets with the names of their authors. */
const ticketRows = `select tickets.*, people.display_name as author
  from tickets left join people on people.id = author_id`;

export default defineExtension({
  name: 'tickets',
  requires: '^1.1',
  permissions: [
    { name: 'tickets.read', label: 'See tickets', memberHasIt: true },
    { name: 'tickets.write', label: 'Open and close tickets', memberHasIt: false },
  ],
  migrations: new URL('migrations/', import.meta.url),

  routes: ({ database, now, newId }) => {
    const list = createListReader<TicketRow>(
      database,
      {
        table: 'tickets',
        rows: ticketRows,
        organization: 'organization_id',
        columns: {
          subject: { kind: 'text', searched: true },
          status: { kind: 'set' },
          author: { kind: 'text' },
          openedAt: { kind: 'date' },
        },
        newestFirst: 'opened_at',
      },
      now,
    );
    const limit = createRateLimit({ database, now }, { name: 'tickets', maximum: 100, windowSeconds: 3600 });

    return [
      implement(listTickets, async ({ query, organization }) => {
        const { rows, total } = await list.in({ organizationId: organization.id }).page(query);
        return { rows: rows.map(toTicket), total };
      }),

      implement(getTicket, async ({ params, organization }) => {
        const ticket = await findTicket(database, organization.id, params.ticketId);
        if (!ticket) throw fail(ticketErrors.notFound);
        return toTicket(ticket);
      }),

      implement(createTicket, async ({ body, caller, organization, origin }) => {
        assertWithinRateLimit(await limit.take(caller.id), ticketErrors.tooMany);
        const id = newId();
        await database.transaction(async (transaction) => {
          await execute(
            transaction,
            `insert into tickets (id, organization_id, author_id, subject, description, opened_at)
             values ($1, $2, $3, $4, $5, $6)`,
            [id, organization.id, caller.id, body.subject, body.description, new Date(now())],
          );
          await recordChange(transaction, {
            action: 'ticket.created',
            actor: caller,
            target: { type: 'ticket', id, label: body.subject },
            origin,
            organization,
          });
        });
        return toTicket((await findTicket(database, organization.id, id)) as TicketRow);
      }),

      implement(closeTicket, async ({ params, caller, organization, origin }) => {
        assertWithinRateLimit(await limit.take(caller.id), ticketErrors.tooMany);
        return database.transaction(async (transaction) => {
          const closed = await execute(
            transaction,
            `update tickets set status = 'closed' where id = $1 and organization_id = $2 and status = 'open'`,
            [params.ticketId, organization.id],
          );
          const ticket = await findTicket(transaction, organization.id, params.ticketId);
          if (!ticket) throw fail(ticketErrors.notFound);
          if (closed === 0) throw fail(ticketErrors.alreadyClosed);
          await recordChange(transaction, {
            action: 'ticket.closed',
            actor: caller,
            target: { type: 'ticket', id: ticket.id, label: ticket.subject },
            origin,
            organization,
          });
          return toTicket(ticket);
        });
      }),

      implement(countMyTickets, ({ caller }) =>
        onlyRowOf<{ open: number }>(
          database,
          `select count(*) as open from tickets where author_id = $1 and status = 'open'`,
          [caller.id],
        ),
      ),
    ];
  },
});

const findTicket = (database: Queryable, organizationId: string, ticketId: string) =>
  rowOf<TicketRow>(
    database,
    `select * from (${ticketRows}) as tickets where organization_id = $1 and id = $2`,
    [organizationId, ticketId],
  );

function toTicket({ id, subject, description, status, author, opened_at }: TicketRow): Ticket {
  return { id, subject, description, status, author, openedAt: opened_at.toISOString() };
}
