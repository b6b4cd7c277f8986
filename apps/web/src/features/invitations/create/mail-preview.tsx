/** Preview of the mail in a sandboxed frame, beside the form on wide screens. */
import { t } from '@lingui/core/macro';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { oneOf, type InviteDraft } from './invite-draft.ts';

const pauseMilliseconds = 400;
const wide = window.matchMedia('(width >= 70rem)');

function onWidth(tell: () => void): () => void {
  wide.addEventListener('change', tell);
  return () => wide.removeEventListener('change', tell);
}

/** Returns whether form and preview fit side by side. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(onWidth, () => wide.matches);
}

export function MailBeside({ draft }: { draft: InviteDraft }) {
  const { email, name, language, lifetimeDays, message } = oneOf(draft);
  const wanted = JSON.stringify({ email, name, language, lifetimeDays, message });
  const [settled, setSettled] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data } = useApiQuery(previewInvitation, {
    key: ['invitation-preview', settled],
    body: JSON.parse(settled) as Record<string, never>,
    // Keep the previous preview while the next one loads.
    placeholderData: (before) => before,
    retry: false,
  });
  return (
    <aside className="invite-mail" aria-label={t`The e-mail as it will arrive`}>
      {data && (
        <>
          <p>
            <small>{t`Subject`}</small> <q>{data.subject}</q>
          </p>
          {/* The sandbox blocks scripts, forms and links. */}
          <iframe title={t`The e-mail as it will arrive`} sandbox="" srcDoc={data.html} tabIndex={-1} />
        </>
      )}
    </aside>
  );
}
