/**
 * Short messages about what has just happened. Not for errors that take the place of a screen (failure.tsx) nor for
 * those that belong to a field. Works with and without the kit.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../button.tsx';
import { CloseButton } from '../dialog/close-button.tsx';
import { isTyping } from '../events/is-typing.ts';
import { topLayer, watchTopLayer } from '../dialog/top-layer.ts';
import { Listeners } from '../listeners.ts';
import { makeElement } from '../make-element.ts';
import { useWindowEvent } from '../events/use-window-event.ts';
import './toast.css';

/** What a toast may offer besides its text. */
type ToastOptions = {
  /** One thing to do about it, such as "Try again". The toast closes when it is done, but not where `onClick` answers false. */
  action?: { label: string; onClick: () => unknown };
  /**
   * Takes back what has just been done, for as long as the toast is there; its time can be seen running. Answers false where
   * that failed and can be tried again.
   */
  undo?: () => unknown;
  /** The reference id of an error, to find its log line (E3). */
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

/** Shows a message; the answer is its id, for `close`. */
export const toast = {
  /** Goes away by itself after 6 s, after 12 s with something to do; the time stands while the pointer or the focus is on it. */
  success: (text: string, options?: ToastOptions): number => add({ kind: 'success', text, ...options }),
  /** Stays until closed. The same failure twice shows once. */
  failure: (failure: string | { message: string; reference?: string }, options?: ToastOptions): number =>
    typeof failure === 'string'
      ? add({ kind: 'failure', text: failure, ...options })
      : add({ kind: 'failure', text: failure.message, reference: failure.reference, ...options }),
  /** Stays until closed: something runs. `tell` says how far it is. */
  progress: (text: string, options?: ToastOptions): number => add({ kind: 'progress', text, ...options }),
  update: (id: number, text: string): void =>
    replace(toasts.map((one) => (one.id === id ? { ...one, text } : one))),
  close: (id: number): void => replace(toasts.filter((one) => one.id !== id)),
};

function add(fresh: Omit<Toast, 'id'>): number {
  const id = (lastId += 1);
  // Of two that say the same one is enough, but each takes back something else.
  const others = toasts.filter((one) => one.undo || one.kind !== fresh.kind || one.text !== fresh.text);
  replace([...others, { ...fresh, id }].slice(-4));
  return id;
}

function replace(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}

/** Where toasts appear: once in the application, above every dialog. */
export function ToastRegion() {
  const shown = useSyncExternalStore(listeners.watch, () => toasts);
  const [host] = useState(() => Object.assign(makeElement('div', 'toasts'), { popover: 'manual' }));

  useLayoutEffect(() => {
    const move = () => {
      const home = topLayer();
      // A popover that is shown again comes to the top of the top layer.
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
    // The newest that can be taken back; its button is busy until it is.
    [...host.querySelectorAll<HTMLElement>('.toast:has(.toast-time) .button')].at(-1)?.click();
  });

  return createPortal(
    <section aria-label={t`Notifications`} aria-live="polite" aria-relevant="additions">
      {shown.map((one) => (
        <ToastCard key={one.id} toast={one} />
      ))}
    </section>,
    host,
  );
}

const undoing = (undo: () => unknown) => ({ label: t`Undo`, onClick: undo });

/** Milliseconds. */
const times = { read: 6_000, act: 12_000 };

function ToastCard({
  toast: { id, kind, text, undo, action = undo && undoing(undo), reference },
}: {
  toast: Toast;
}) {
  const [held, setHeld] = useState(false);
  const left = useRef(action ? times.act : times.read);
  const close = () => toast.close(id);

  useEffect(() => {
    if (kind !== 'success' || held) return undefined;
    const since = performance.now();
    const timer = setTimeout(() => toast.close(id), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - since;
    };
  }, [kind, held, id]);

  return (
    <div
      className={`toast toast-${kind}${held ? ' toast-held' : ''}`}
      role={kind === 'failure' ? 'alert' : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className="toast-text">
        {kind !== 'progress' && (
          <span className="visually-hidden">{kind === 'failure' ? t`Failed: ` : t`Done: `}</span>
        )}
        {text}
        {reference && (
          <span className="reference">
            <Trans>Reference {reference}</Trans>
          </span>
        )}
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
        <span className="toast-time" style={{ animationDuration: `${times.act}ms` }} aria-hidden="true" />
      )}
    </div>
  );
}
