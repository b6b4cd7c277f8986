/**
 * The modal dialog, for screens before and behind the door alike. Not for what floats without taking over (menu.tsx,
 * toast.tsx).
 */
import { t } from '@lingui/core/macro';
import {
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { CloseButton } from './close-button.tsx';
import { nameOfHeading, WithAddresses } from '../person/address.tsx';
import { ScrollRegion } from '../shell/scroll-region.tsx';
import { enterTopLayer } from './top-layer.ts';
import { useBusy } from '../use-busy.ts';

/** What a `Dialog` takes. */
export type DialogProps = {
  title: string;
  /** In CSS pixels; less where the screen is narrower. Default 600. */
  width?: number;
  /** Called on Esc and on the close button; the parent then stops rendering the dialog. May return a promise. */
  onClose: () => unknown;
  /** The buttons at the foot. */
  actions?: ReactNode;
  /** false: no close button and Esc does nothing; only `actions` lead out. */
  dismissable?: boolean;
  /** For a dialog of the kit that looks otherwise. */
  className?: string;
  children: ReactNode;
};

/**
 * The one modal dialog of the application. The native element brings the focus trap, the inert page behind it, Esc and
 * the top layer; this adds the title, the size, and a focus that returns to what opened it.
 */
export function Dialog({
  title,
  width = 600,
  onClose,
  actions,
  dismissable = true,
  className,
  children,
}: DialogProps) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  const titleId = useId();
  const bodyId = useId();
  const [close] = useBusy(onClose);

  useLayoutEffect(() => {
    if (!dialog) return undefined;
    const opener = document.activeElement;
    dialog.showModal();
    focusFirst(dialog);
    const leaveTopLayer = enterTopLayer(dialog);
    return () => {
      dialog.close();
      leaveTopLayer();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [dialog]);

  useEffect(() => keepFocus, []);

  const askToClose = useEffectEvent(() => {
    if (dismissable) close();
  });

  useLayoutEffect(() => {
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
  }, [dialog]);

  return (
    <dialog
      ref={setDialog}
      className={className ? `dialog ${className}` : 'dialog'}
      aria-labelledby={titleId}
      style={{ width: `${width}px` }}
      onKeyDown={pressMain}
    >
      <div className="dialog-head">
        <h2 id={titleId} {...nameOfHeading(title)}>
          <WithAddresses text={title} />
        </h2>
        {dismissable && <CloseButton label={t`Close`} onClick={close} />}
      </div>
      <ScrollRegion className="dialog-body" id={bodyId} labelledBy={titleId}>
        {children}
      </ScrollRegion>
      {actions && <div className="dialog-actions">{actions}</div>}
    </dialog>
  );
}

/** Ctrl+Enter (Command on a Mac) presses the main button: of the form with the focus, where that has one of its own, or of the foot. */
function pressMain(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  const find = (place: string) => event.currentTarget.querySelector<HTMLElement>(`${place} .button-primary`);
  const main = find('.dialog-body form:focus-within') ?? find('.dialog-actions');
  if (!main) return;
  event.preventDefault();
  event.stopPropagation();
  main.click();
}

/**
 * A form starts at its first field, of choices at the one that is made, or where it says itself (`data-autofocus`). A message starts at
 * its first button and is read out as the description.
 */
function focusFirst(dialog: HTMLElement): void {
  const body = dialog.querySelector('.dialog-body');
  const find = (fields: string) => body?.querySelector<HTMLInputElement>(fields);
  const first = find('[data-autofocus]') ?? find('input:not([type="hidden"]), textarea, select');
  const field = (first?.type === 'radio' && find(`[name="${first.name}"]:checked`)) || first;
  if (!field && body) dialog.setAttribute('aria-describedby', body.id);
  (field ?? dialog.querySelector<HTMLElement>('.dialog-actions button'))?.focus();
}

/** What was done in a dialog may have taken along what opened it: then the keyboard goes on as at a new screen. */
function keepFocus(): void {
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true });
}
