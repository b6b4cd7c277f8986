/** Tickets: members of an organization open and read its tickets, and its managers close them. */
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
  recordEach,
  rowOf,
  rowsOf,
  serverOrigin,
  type Queryable,
} from '@vestibule/server/extension';
import {
  closeTicket,
  countOpenTickets,
  createTicket,
  getTicket,
  listMyTickets,
  listTickets,
  ticketErrors,
  type MyTicket,
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

type MyTicketRow = Omit<TicketRow, 'description' | 'author'> & { name: string; slug: string };

/** Tickets with the names of their authors. */
const ticketRows = `select tickets.*, people.display_name as author
  from tickets left join people on people.id = author_id`;

export default defineExtension({
  name: 'tickets',
  label: 'Tickets',
  requires: '^1.1',
  permissions: [
    { name: 'tickets.read', label: 'See tickets', memberHasIt: true },
    { name: 'tickets.write', label: 'Open tickets and add files', memberHasIt: true },
    { name: 'tickets.close', label: 'Close tickets', memberHasIt: false },
  ],
  migrations: new URL('migrations/', import.meta.url),
  personalData: {
    tickets: {
      person: 'author_id',
      onRemoval: 'anonymize',
      columns: ['subject', 'description', 'status', 'opened_at'],
    },
  },
  settings: {
    closeAfterDays: {
      kind: 'number',
      label: 'Close open tickets after this number of days (0: never)',
      minimum: 0,
      maximum: 365,
      default: 0,
    },
  },
  files: { ticket: { table: 'tickets', read: 'tickets.read', write: 'tickets.write', maximum: 10 } },
  webhookEvents: ['ticket.created', 'ticket.closed'],

  mails: {
    async opened(ticketId, { database, publicUrl }) {
      const ticket = await findTicketOfMail(database, ticketId);
      if (!ticket || ticket.status === 'closed') return null;
      return {
        to: { organizationId: ticket.organization_id, permission: 'tickets.close' },
        en: {
          subject: `Opened: ${ticket.subject}`,
          parts: [
            'A ticket was opened.',
            {
              link: `${publicUrl}/layout/organization/${ticket.slug}/tickets/${ticketId}`,
              label: 'Open the ticket',
            },
          ],
          closing: 'You get this e-mail because you may close tickets.',
        },
      };
    },
    async closed(ticketId, { database, publicUrl }) {
      const ticket = await findTicketOfMail(database, ticketId);
      if (!ticket || ticket.author_id === null) return null;
      return {
        to: { personId: ticket.author_id },
        en: {
          subject: `Closed: ${ticket.subject}`,
          parts: [
            'Your ticket was closed.',
            { link: `${publicUrl}/layout/organization/${ticket.slug}/tickets`, label: 'Open the tickets' },
          ],
          closing: 'You get this e-mail because you opened the ticket.',
        },
      };
    },
  },

  jobs: {
    'close-old': {
      everyMs: 3_600_000,
      async run({ database, settings, now }) {
        const { closeAfterDays } = await settings.read();
        if (closeAfterDays === 0) return;
        const openedBefore = new Date(now() - closeAfterDays * 24 * 3_600_000);
        await database.transaction((transaction) =>
          closeTickets(transaction, 'close-old', 'opened_at < $1', openedBefore),
        );
      },
    },
  },

  hooks: {
    personRemoved: ({ transaction, personId }) =>
      closeTickets(transaction, 'person-removed', 'author_id = $1', personId),
  },

  measures: ({ database }) => [
    {
      name: 'tickets_open',
      help: 'Open tickets of all organizations.',
      async read() {
        const statement = `select count(*) from tickets where status = 'open'`;
        return (await onlyRowOf<{ count: number }>(database, statement, [])).count;
      },
    },
  ],

  routes: ({ database, mails, now, newId }) => {
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
          await mails.queue(transaction, [{ mail: 'opened', subjectId: id }]);
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
          await mails.queue(transaction, [{ mail: 'closed', subjectId: ticket.id }]);
          return toTicket(ticket);
        });
      }),

      implement(listMyTickets, async ({ caller }) => {
        const rows = await rowsOf<MyTicketRow>(
          database,
          `select tickets.id, subject, tickets.status, opened_at, organizations.name, slug
           from tickets join organizations on organizations.id = organization_id
             join memberships on memberships.organization_id = organizations.id and person_id = author_id
           where author_id = $1 order by tickets.status = 'closed', opened_at desc limit 100`,
          [caller.id],
        );
        return { rows: rows.map(toMyTicket) };
      }),

      implement(countOpenTickets, async ({ body }) => {
        const rows = await rowsOf<{ id: string; count: number }>(
          database,
          `select organization_id as id, count(*) from tickets
           where organization_id = any($1) and status = 'open' group by organization_id`,
          [body.organizationIds],
        );
        return { counts: Object.fromEntries(rows.map(({ id, count }) => [id, count])) };
      }),
    ];
  },
});

const findTicket = (database: Queryable, organizationId: string, ticketId: string) =>
  rowOf<TicketRow>(
    database,
    `select * from (${ticketRows}) as tickets where organization_id = $1 and id = $2`,
    [organizationId, ticketId],
  );

type TicketOfMail = Pick<TicketRow, 'subject' | 'status'> & {
  author_id: string | null;
  organization_id: string;
  slug: string;
};

const findTicketOfMail = (database: Queryable, ticketId: string) =>
  rowOf<TicketOfMail>(
    database,
    `select subject, tickets.status, author_id, organization_id, slug
     from tickets join organizations on organizations.id = organization_id where tickets.id = $1`,
    [ticketId],
  );

/** Closes the open tickets that meet the condition, without a caller. */
async function closeTickets(
  transaction: Queryable,
  cause: string,
  condition: 'opened_at < $1' | 'author_id = $1',
  value: Date | string,
): Promise<void> {
  const closed = await rowsOf<{ id: string; subject: string; organization_id: string; name: string }>(
    transaction,
    `update tickets set status = 'closed' from organizations
     where organizations.id = organization_id and tickets.status = 'open' and ${condition}
     returning tickets.id, subject, organization_id, name`,
    [value],
  );
  await recordEach(transaction, closed, ({ id, subject, organization_id, name }) => ({
    action: 'ticket.closed',
    actor: null,
    target: { type: 'ticket', id, label: subject },
    origin: serverOrigin(cause),
    organization: { id: organization_id, name },
  }));
}

function toTicket({ id, subject, description, status, author, opened_at }: TicketRow): Ticket {
  return { id, subject, description, status, author, openedAt: opened_at.toISOString() };
}

function toMyTicket({ id, subject, status, opened_at, name, slug }: MyTicketRow): MyTicket {
  return { id, subject, status, openedAt: opened_at.toISOString(), organization: { name, slug } };
}
