/** Errors in place of a screen. A screen whose script could not be loaded opens when the server can be reached again. */
import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { CallFailure, describeFailure } from '../../language/call-failure.ts';
import { Button } from '../button.tsx';
import { Page } from './page.tsx';

const scriptFailure = 'ScriptFailure';

/**
 * Marks the errors of scripts that could not be loaded. Changes their messages too: the router would recognize the browser's and reload
 * the page at once, which without a connection replaces the application by the browser's error page.
 */
export function markScriptFailures(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    payload.name = scriptFailure;
    payload.message = `A script could not be loaded. ${payload.message}`;
  });
}

/** Returns what to show for an error. Reloads the page after a script failure. */
export function useScreenFailure(error: unknown): { title: string; message: string } {
  const isScriptFailure = error instanceof Error && error.name === scriptFailure;
  useEffect(() => (isScriptFailure ? reloadWhenReachable() : undefined), [isScriptFailure]);
  if (isScriptFailure)
    return {
      title: t`This page could not be loaded`,
      message: t`It opens automatically when the server can be reached again. Check your connection. If the problem persists, tell support what you did.`,
    };
  return {
    title: t`This page failed`,
    message:
      error instanceof CallFailure
        ? describeFailure(error).message
        : t`Reload it. If the problem persists, tell support what you did.`,
  };
}

/** Shown in the frame. The rest of the application works. */
export function ScreenFailure({ error }: { error: unknown }) {
  const { title, message } = useScreenFailure(error);
  return (
    <Page title={title} actions={<Button onClick={() => window.location.reload()}>{t`Reload`}</Button>}>
      <p role="alert">{message}</p>
    </Page>
  );
}

const attemptMilliseconds = 5_000;
/** The script may be missing although the server can be reached, for example because a browser extension blocks it. */
const pauseMilliseconds = 60_000;
const reloadedKey = 'screenReloadedAt';

/**
 * Reloads the page after a script failure if the server can be reached, otherwise calls `orElse`. A second import of the script would fail
 * without a request: browsers store the failure, and after an update of the server only a new page names the new scripts.
 */
export async function reloadToRetry(orElse: () => unknown): Promise<void> {
  if (await isReachable()) window.location.reload();
  else orElse();
}

async function isReachable(signal: AbortSignal | null = null): Promise<boolean> {
  try {
    const { ok } = await fetch('/', { method: 'HEAD', cache: 'no-store', signal });
    return ok;
  } catch {
    return false;
  }
}

/** Reloads the page once the server can be reached. Returns a function that cancels the reload. */
function reloadWhenReachable(): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const attempt = async () => {
    if (Date.now() - Number(window.sessionStorage.getItem(reloadedKey)) < pauseMilliseconds) return;
    // A running upload prevents the event, because a reload would interrupt it.
    const isAllowed = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    if ((await isReachable(signal)) && !signal.aborted && isAllowed()) {
      window.sessionStorage.setItem(reloadedKey, String(Date.now()));
      window.location.reload();
    }
  };
  const timer = setInterval(() => void attempt(), attemptMilliseconds);
  window.addEventListener('online', () => void attempt(), { signal });
  void attempt();
  return () => {
    clearInterval(timer);
    controller.abort();
  };
}
