/** Tab of an organization: its tickets, and a form to open one. */
import { plural, t } from '@lingui/core/macro';
import {
  Button,
  columnsByName,
  DataGrid,
  EmptyState,
  fetchPageFrom,
  FormDialog,
  Page,
  routeOf,
  runWithErrorToast,
  TextArea,
  TextField,
  toast,
  useForm,
  useOpenScreen,
  useOrganization,
  valuesOf,
  call,
  type GridHandle,
} from '@vestibule/web/screens';
import { useMemo, useRef, useState } from 'react';
import { closeTicket, createTicket, listTickets, type Ticket } from './contract.ts';

const statuses = () =>
  ({
    open: { label: t`Open`, tone: 'warning' },
    closed: { label: t`Closed`, tone: 'success' },
  }) as const;

/** The keys are the columns of the contract's `listTickets`. */
const columns = () =>
  columnsByName<Ticket, 'subject' | 'status' | 'author' | 'openedAt'>({
    subject: {
      title: t`Subject`,
      kind: 'text',
      filter: { kind: 'text' },
      flex: 3,
    },
    status: {
      title: t`Status`,
      kind: 'badge',
      badge: ({ status }) => statuses()[status],
      filter: { kind: 'set', values: valuesOf(statuses()) },
    },
    author: {
      title: t`Opened by`,
      kind: 'text',
      filter: { kind: 'text' },
      narrow: 'detail',
    },
    openedAt: {
      title: t`Opened`,
      kind: 'date-time',
      filter: { kind: 'date' },
    },
  });

export default function TicketsScreen() {
  const { organizationId, slug, permissions } = useOrganization();
  const openScreen = useOpenScreen();
  const [isCreating, setIsCreating] = useState(false);
  const grid = useRef<GridHandle>(null);
  const shownColumns = useMemo(() => columns(), []);
  // `changesOf`: the list follows changes by other users.
  const source = useMemo(
    () => ({ fetchPage: fetchPageFrom(routeOf(listTickets, { organizationId })), changesOf: 'tickets' }),
    [organizationId],
  );
  const mayOpen = permissions.includes('tickets.write');
  const mayClose = permissions.includes('tickets.close');

  const close = ({ id: ticketId, subject }: Ticket) =>
    runWithErrorToast(async () => {
      await call(closeTicket, { params: { organizationId, ticketId } });
      toast.success(t`“${subject}” is closed.`);
      grid.current?.refresh();
    });

  return (
    <Page
      title={t`Tickets`}
      fill
      actions={
        mayOpen && (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            {t`Open a ticket`}
          </Button>
        )
      }
    >
      <DataGrid
        key={organizationId}
        ref={grid}
        label={t`Tickets`}
        countOf={(count) => plural(count, { one: '# ticket', other: '# tickets' })}
        columns={shownColumns}
        source={source}
        onRowOpen={({ id }) => openScreen(`/layout/organization/${slug}/tickets/${id}`)}
        {...(mayClose && {
          rowActions: (ticket: Ticket) =>
            ticket.status === 'open' ? [{ label: t`Close`, onSelect: () => close(ticket) }] : [],
        })}
        emptyState={<EmptyState title={t`No tickets yet`} />}
      />
      {isCreating && (
        <NewTicketDialog
          organizationId={organizationId}
          onCreated={() => grid.current?.refresh()}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Page>
  );
}

type NewTicketProps = { organizationId: string; onCreated: () => void; onClose: () => void };

function NewTicketDialog({ organizationId, onCreated, onClose }: NewTicketProps) {
  const form = useForm({
    initial: { subject: '', description: '' },
    validate: ({ subject }) => (subject.trim() ? {} : { subject: t`Enter a subject.` }),
    async onSubmit(body) {
      await call(createTicket, { params: { organizationId }, body });
      toast.success(t`The ticket is open.`);
      onCreated();
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={t`Open a ticket`} submit={t`Open ticket`} onClose={onClose}>
      <TextField label={t`Subject`} autoComplete="off" required {...form.text('subject')} />
      <TextArea label={t`Description (optional)`} rows={6} {...form.text('description')} />
    </FormDialog>
  );
}
