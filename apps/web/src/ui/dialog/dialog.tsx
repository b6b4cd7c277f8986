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
import { headingLabel, WithAddresses } from '../person/person.tsx';
import { ScrollRegion } from '../shell/scroll-region.tsx';
import { enterTopLayer } from './top-layer.ts';
import { useBusy } from '../use-busy.ts';
import { Button } from '../button.tsx';

export type DialogProps = {
  title: string;
  /** CSS pixels; less on narrow screens. Default: 600. */
  width?: number;
  /** Called for Esc and the close button. The parent must stop rendering the dialog. May return a promise. */
  onClose: () => unknown;
  /** Buttons in the footer. */
  actions?: ReactNode;
  /** If false, there is no close button, and Esc is ignored. */
  dismissable?: boolean;
  className?: string;
  children: ReactNode;
};

/** Modal dialog based on `<dialog>`. Returns the focus to the element that had it before. */
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
    const exitTopLayer = enterTopLayer(dialog);
    return () => {
      dialog.close();
      exitTopLayer();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [dialog]);

  useEffect(() => focusScreenIfLost, []);

  const requestClose = useEffectEvent(() => {
    if (dismissable) close();
  });

  useLayoutEffect(() => {
    if (!dialog) return undefined;
    const onCancel = (event: Event) => {
      if (event.target !== dialog) return;
      // The parent stops rendering the dialog instead.
      event.preventDefault();
      requestClose();
    };
    // Chrome closes the dialog on a second Esc even if `cancel` was prevented.
    const onClosed = () => {
      if (!dialog.isConnected || dialog.open) return;
      dialog.showModal();
      requestClose();
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
      onKeyDown={clickPrimaryButton}
    >
      <div className="dialog-head">
        <h2 id={titleId} {...headingLabel(title)}>
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

/** Ctrl+Enter (Cmd+Enter) clicks the primary button of the focused form or of the footer. */
function clickPrimaryButton(event: KeyboardEvent<HTMLDialogElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  const find = (place: string) => event.currentTarget.querySelector<HTMLElement>(`${place} .button-primary`);
  const main = find('.dialog-body form:focus-within') ?? find('.dialog-actions');
  if (!main) return;
  event.preventDefault();
  event.stopPropagation();
  main.click();
}

/**
 * Focuses the `[data-autofocus]` element, the first field or its checked radio button. Without fields, focuses the first button of the
 * footer. A body without fields and buttons is the description.
 */
function focusFirst(dialog: HTMLElement): void {
  const body = dialog.querySelector('.dialog-body');
  const find = (fields: string) => body?.querySelector<HTMLInputElement>(fields);
  const first = find('[data-autofocus]') ?? find('input:not([type="hidden"], [hidden]), textarea, select');
  const field = (first?.type === 'radio' && find(`[name="${first.name}"]:checked`)) || first;
  if (!field && !find('button') && body) dialog.setAttribute('aria-describedby', body.id);
  (field ?? dialog.querySelector<HTMLElement>('.dialog-actions button'))?.focus();
}

/**
 * Focuses the panel beside the list, the search box or the main content if the element that opened the dialog no longer exists. Not the
 * search box of a phone, which would open its keyboard.
 */
function focusScreenIfLost(): void {
  if (document.activeElement !== document.body) return;
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  const search = matchMedia('(pointer: fine)').matches && find('.grid input');
  (find('.side-panel') ?? (search || find('#main')))?.focus({ preventScroll: true });
}

/** Button of a dialog that offers no choice. */
export function CloseAction({ label = t`Close`, onClose }: { label?: string; onClose: () => unknown }) {
  return (
    <Button variant="primary" onClick={onClose}>
      {label}
    </Button>
  );
}

export function CloseButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="icon-button dialog-close" aria-label={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d="m3.5 3.5 9 9m0-9-9 9" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      </svg>
    </button>
  );
}
