import { useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useBusy } from './use-busy.ts';

/** What a `Dialog` takes. */
export interface DialogProps {
  title: string;
  /** In CSS pixels; less where the screen is narrower. Default 600. */
  width?: number;
  /** Called on Esc and on the close button; the parent then stops rendering the dialog. May return a promise. */
  onClose: () => unknown;
  /** The buttons at the foot. */
  actions?: ReactNode;
  /** false: no close button and Esc does nothing; only `actions` lead out. */
  dismissable?: boolean;
  children: ReactNode;
}

/**
 * The one modal dialog of the application. The native element brings the focus trap, the inert page behind it, Esc and
 * the top layer; this adds the title, the size, and a focus that returns to what opened it.
 */
export function Dialog({ title, width = 600, onClose, actions, dismissable = true, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [close] = useBusy(onClose);

  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    const opener = findOpener();
    dialog.showModal();
    return () => {
      dialog.close();
      if (opener?.isConnected) opener.focus();
    };
  }, []);

  const askToClose = useEffectEvent(() => {
    if (dismissable) close();
  });

  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    const onCancel = (event: Event) => {
      if (event.target !== dialog) return;
      // The parent decides: it closes the dialog by no longer rendering it.
      event.preventDefault();
      askToClose();
    };
    // Chrome closes on a second Esc whatever `cancel` says; the element must not stay on the page closed.
    const onClosed = () => {
      if (!dialog.isConnected || dialog.open) return;
      dialog.showModal();
      askToClose();
    };
    dialog.addEventListener('cancel', onCancel);
    dialog.addEventListener('close', onClosed);
    return () => {
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('close', onClosed);
    };
  }, []);

  return (
    <dialog ref={ref} className="dialog" aria-labelledby={titleId} style={{ width: `${width}px` }}>
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {dismissable && (
          <button type="button" className="dialog-close" aria-label="Close" onClick={() => close()}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d="m3.5 3.5 9 9m0-9-9 9" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
            </svg>
          </button>
        )}
      </div>
      <div className="dialog-body">{children}</div>
      {actions && <div className="dialog-actions">{actions}</div>}
    </dialog>
  );
}

/** What has the focus now; for an entry of a menu, which is gone when the dialog closes, the menu's button. */
function findOpener(): HTMLElement | undefined {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return undefined;
  const menu = active.closest('[role="menu"]');
  if (!menu) return active;
  return document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(menu.id)}"]`) ?? undefined;
}
