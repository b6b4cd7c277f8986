/** `/attachment`: the attachment area, in a chunk of its own (A5). Files come with a later version. */
import { msg } from '@lingui/core/macro';
import { IconPaperclip } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { Palette } from '../features/palette/palette.tsx';
import { requirePerson, type SignedIn } from '../features/sign-in/guard.ts';
import { SignedInFrame } from '../features/sign-in/signed-in-frame.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

export const Route = createFileRoute('/attachment')({
  beforeLoad: (route): SignedIn => requirePerson(route),
  staticData: { menu: { label: msg`Attachments`, order: 5, icon: IconPaperclip } },
  component: Attachment,
});

function Attachment() {
  const { session, user } = Route.useRouteContext();
  return (
    <SignedInFrame session={session} tools={<Palette user={user} onSignOut={() => void session.signOut()} />}>
      <Page title="Attachments">
        <EmptyState icon={<IconPaperclip size={32} stroke={1.5} />} title="There are no files here yet">
          Sharing files is not part of this version. Until it is, ask whoever invited you to send them by
          other means.
        </EmptyState>
      </Page>
    </SignedInFrame>
  );
}
