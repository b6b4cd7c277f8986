/** Preview of the mail in a sandboxed frame, beside the form on wide screens. */
import { routeHere } from '../../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { previewInvitation } from '@vestibule/contract/invitations/preview';
import { useSyncExternalStore } from 'react';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { useDebounced } from '../../../ui/events/use-debounced.ts';
import { singleInvitationBody, type InviteDraft } from './invite-draft.ts';

const debounceMilliseconds = 400;
const wideScreen = window.matchMedia('(width >= 70rem)');

function watchWidth(onChange: () => void): () => void {
  wideScreen.addEventListener('change', onChange);
  return () => wideScreen.removeEventListener('change', onChange);
}

/** Returns whether form and preview fit side by side. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(watchWidth, () => wideScreen.matches);
}

export function MailPreview({ draft }: { draft: InviteDraft }) {
  const { email, name, language, lifetimeDays, message } = singleInvitationBody(draft);
  const body = useDebounced(
    JSON.stringify({ email, name, language, lifetimeDays, message }),
    debounceMilliseconds,
  );
  const { data } = useApiQuery(routeHere(previewInvitation), {
    key: ['invitation-preview', body],
    body: JSON.parse(body) as Record<string, never>,
    // Keep the previous preview while the next one loads.
    placeholderData: (previous) => previous,
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
