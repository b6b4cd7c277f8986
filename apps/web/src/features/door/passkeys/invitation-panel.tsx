/** How an invitation is accepted without a provider, in the screen of `/signup`. */
import type { Session } from '../session.ts';
import type { Invited } from './invitation-step.ts';
import { PasskeyPanel } from './passkey-panel.tsx';

export default function InvitationPanel({
  session,
  invited,
  sentence,
  say,
}: {
  session: Session;
  invited: Invited;
  /** Says who invited whom. */
  sentence: string;
  say: (sentence: string) => void;
}) {
  return (
    <PasskeyPanel
      session={session}
      say={say}
      load={async () => {
        const { beginWithInvitation } = await import('./invitation-step.ts');
        return (around) => beginWithInvitation(around, invited, sentence);
      }}
    />
  );
}
