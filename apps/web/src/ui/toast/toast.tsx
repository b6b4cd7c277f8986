/** Toasts: short messages about completed, failed or running actions. */
import { t } from '@lingui/core/macro';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../button.tsx';
import { CloseButton } from '../dialog/dialog.tsx';
import { isTyping, useWindowEvent } from '../events/use-window-event.ts';
import { topLayer, watchTopLayer } from '../dialog/top-layer.ts';
import { Listeners } from '../listeners.ts';
import './toast.css';
import { describeFailure } from '../../language/call-failure.ts';

type ToastOptions = {
  /** Button such as "Try again". The toast closes afterwards, unless `onClick` returns false. */
  action?: { label: string; onClick: () => unknown };
  /** Reverts the action while the toast is shown. Returns false if that failed and can be retried. */
  undo?: () => unknown;
  /** Reference id of the error's log entry (E3). */
  reference?: string | undefined;
};

type Toast = {
  readonly id: number;
  readonly kind: 'success' | 'failure' | 'progress';
  readonly text: string;
} & ToastOptions;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Listeners();

/** `success`, `failure` and `progress` return the id of the toast. */
export const toast = {
  /** Closes after 6 s, or 12 s with a button. The timer pauses while the pointer or focus is on the toast. */
  success: (text: string, options?: ToastOptions): number => add({ kind: 'success', text, ...options }),
  /** Stays until closed. Identical failures are shown once. */
  failure: (failure: string | { message: string; reference?: string }, options?: ToastOptions): number =>
    typeof failure === 'string'
      ? add({ kind: 'failure', text: failure, ...options })
      : add({ kind: 'failure', text: failure.message, reference: failure.reference, ...options }),
  /** Stays until it is closed. */
  progress: (text: string, options?: ToastOptions): number => add({ kind: 'progress', text, ...options }),
  close: (id: number): void => replace(toasts.filter((other) => other.id !== id)),
};

function add(added: Omit<Toast, 'id'>): number {
  const id = (lastId += 1);
  // Identical toasts are shown once, unless each one has its own undo.
  const others = toasts.filter(
    (other) => other.undo || other.kind !== added.kind || other.text !== added.text,
  );
  replace([...others, { ...added, id }].slice(-4));
  return id;
}

function replace(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}

/** Renders the toasts above all dialogs. Used once in the application. */
export function ToastRegion() {
  const shown = useSyncExternalStore(listeners.watch, () => toasts);
  const [host] = useState(() =>
    Object.assign(document.createElement('div'), { className: 'toasts', popover: 'manual' }),
  );

  useLayoutEffect(() => {
    const move = () => {
      const home = topLayer();
      // Reopening a popover moves it to the top of the top layer.
      if (host.matches(':popover-open')) host.hidePopover();
      if (host.parentElement !== home) home.append(host);
      host.showPopover();
    };
    move();
    const stop = watchTopLayer(move);
    return () => {
      stop();
      host.remove();
    };
  }, [host]);

  useWindowEvent('keydown', (event) => {
    if (event.key.toLowerCase() !== 'z' || event.shiftKey || event.altKey || isTyping(event.target)) return;
    if (event.ctrlKey === event.metaKey) return;
    // Undoes the latest action whose toast offers undo. Clicks the toast's button, so that the button is busy meanwhile.
    [...host.querySelectorAll<HTMLElement>('.toast:has(.toast-time) .button')].at(-1)?.click();
  });

  return createPortal(
    <section aria-label={t`Notifications`} aria-live="polite" aria-relevant="additions">
      {shown.map((other) => (
        <ToastCard key={other.id} toast={other} />
      ))}
    </section>,
    host,
  );
}

const undoAction = (undo: () => unknown) => ({ label: t`Undo`, onClick: undo });

const durationsMs = { read: 6_000, act: 12_000 };

function ToastCard({
  toast: { id, kind, text, undo, action = undo && undoAction(undo), reference },
}: {
  toast: Toast;
}) {
  const [isPaused, setPaused] = useState(false);
  const remainingMs = useRef(action ? durationsMs.act : durationsMs.read);
  const close = () => toast.close(id);

  useEffect(() => {
    if (kind !== 'success' || isPaused) return undefined;
    const since = performance.now();
    const timer = setTimeout(() => toast.close(id), remainingMs.current);
    return () => {
      clearTimeout(timer);
      remainingMs.current -= performance.now() - since;
    };
  }, [kind, isPaused, id]);

  return (
    <div
      className={`toast toast-${kind}${isPaused ? ' toast-held' : ''}`}
      role={kind === 'failure' ? 'alert' : undefined}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <div className="toast-text">
        {kind !== 'progress' && (
          <span className="visually-hidden">{kind === 'failure' ? t`Failed: ` : t`Done: `}</span>
        )}
        {text}
        {reference && <span className="reference">{t`Reference ${reference}`}</span>}
      </div>
      {action && (
        <Button
          size="small"
          {...(undo && { 'aria-keyshortcuts': 'Control+Z Meta+Z', title: t`Undo (Ctrl Z)` })}
          onClick={async () => {
            if ((await action.onClick()) !== false) close();
          }}
        >
          {action.label}
        </Button>
      )}
      {kind !== 'progress' && <CloseButton label={t`Dismiss`} onClick={close} />}
      {undo && (
        <span
          className="toast-time"
          style={{ animationDuration: `${durationsMs.act}ms` }}
          aria-hidden="true"
        />
      )}
    </div>
  );
}

/**
 * Copies a text and shows a toast. If the browser denies copying, shows the text in a prompt under `heading`. Without `heading`, the screen
 * itself must show the text. Throws if a promised text fails.
 */
export async function copyText(
  text: string | Promise<string>,
  copied: string,
  heading?: string,
): Promise<void> {
  const toBlob = async () => new Blob([await text], { type: 'text/plain' });
  try {
    // Safari allows this only before the first `await` after a click, so a text that is requested is passed as a promise.
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': toBlob() })]);
    toast.success(copied);
  } catch {
    const shown = await text;
    if (heading === undefined)
      toast.failure(t`The browser does not allow copying here. Select the text and copy it manually.`);
    else window.prompt(heading, shown);
  }
}

/** Runs `act` and shows a toast if it fails. Returns whether it succeeded. */
export async function runWithErrorToast(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast.failure(describeFailure(error));
    return false;
  }
}
