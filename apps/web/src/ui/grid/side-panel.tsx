/** Detail panel of a grid row: beside the rows, or full screen on a phone. J and K show the next and previous row, Esc closes it. */
import { t } from '@lingui/core/macro';
import { IconArrowDown, IconArrowLeft, IconArrowUp, IconX } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button, QuietButton } from '../button.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { topLayer } from '../dialog/top-layer.ts';
import { isTyping } from '../events/use-window-event.ts';
import { Menu, type MenuItem } from '../menu/menu.tsx';
import { headingLabel, WithAddresses, Avatar } from '../person/person.tsx';
import { ScrollRegion } from '../shell/scroll-region.tsx';
import { useDetailPanelPosition } from './detail-panel.ts';
import './side-panel.css';

/** An action on the row: a button if `main`, otherwise a menu item. */
export type PanelAction = MenuItem & { main?: boolean | undefined };

export type SidePanelProps = {
  id: string;
  /** Accessible name: "Invitation of ann@example.com". */
  label: string;
  /** Heading: "ann@example.com". */
  title: string;
  avatar?: { id: string; name: string } | undefined;
  actions: readonly PanelAction[];
  onShow: (id: string) => void;
  onClose: () => void;
  children: ReactNode;
};

export function SidePanel(props: SidePanelProps) {
  const { label, onClose, children } = props;
  const bodyId = useId();
  if (useDetailPanelPosition().fullScreen)
    return (
      // Wider than any phone: the screen limits the width.
      <Dialog title={label} width={2_000} className="side-panel-whole" onClose={onClose}>
        <PanelRegion {...props}>
          <PanelHead {...props} />
          {children}
        </PanelRegion>
      </Dialog>
    );
  return (
    <PanelRegion {...props}>
      <PanelHead {...props} />
      <ScrollRegion className="side-panel-body" id={bodyId} labelledBy={bodyId}>
        {children}
      </ScrollRegion>
    </PanelRegion>
  );
}

/** Element of the panel that handles the panel's focus and keys. */
function PanelRegion({ id, label, onShow, onClose, children }: SidePanelProps) {
  const region = useRef<HTMLElement>(null);
  const shown = useRef<string>(null);
  const focused = useRef<EventTarget>(null);
  const { fullScreen, width, adjacentId, ...position } = useDetailPanelPosition();

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || isElsewhere(target, region.current)) return;
    if (key === 'Escape' && !fullScreen) onClose();
    else {
      const step = ({ j: 1, k: -1 } as const)[key.toLowerCase()];
      if (step === undefined || isTyping(target)) return;
      const targetId = adjacentId(step);
      if (targetId !== undefined) onShow(targetId);
    }
    event.preventDefault();
    event.stopPropagation();
  });
  useEffect(() => {
    // Single-letter keys work only while the focus is in the panel or in the rows (WCAG 2.2, 2.1.4).
    const host = region.current?.closest<HTMLElement>('.grid-main');
    const listener = (event: KeyboardEvent) => onKey(event);
    host?.addEventListener('keydown', listener);
    return () => host?.removeEventListener('keydown', listener);
  }, []);

  // Takes the focus when another row is shown.
  useLayoutEffect(() => {
    const { current } = region;
    if (shown.current === id || !current) return;
    shown.current = id;
    if (!current.contains(document.activeElement)) current.focus({ preventScroll: true });
  }, [id]);
  useEffect(() => {
    // Not `onFocus`: React ignores events while it closes a dialog, which returns the focus.
    region.current?.addEventListener('focusin', ({ target }) => (focused.current = target));
  }, []);
  // Takes the focus when an action has removed its button.
  useLayoutEffect(() => {
    const { current: element } = focused;
    if (document.activeElement === document.body && element instanceof Element && !element.isConnected)
      region.current?.focus({ preventScroll: true });
  });
  const focusRow = useEffectEvent(position.focusRow);
  useLayoutEffect(() => {
    const { current } = region;
    return () => {
      // Runs after the panel is removed from the document.
      if (current?.contains(document.activeElement)) setTimeout(() => focusRow());
    };
  }, []);

  return (
    <section
      ref={region}
      className="side-panel"
      aria-label={label}
      tabIndex={-1}
      {...(!fullScreen && { style: { width } })}
    >
      {children}
    </section>
  );
}

/** Returns whether the event belongs to a dialog or menu above the panel. */
function isElsewhere(target: EventTarget | null, region: HTMLElement | null): boolean {
  const top = topLayer();
  return !(target instanceof Element) || (top !== document.body && !top.contains(region));
}

function PanelHead({ title, avatar, label, actions, onShow, onClose }: SidePanelProps) {
  const { fullScreen, adjacentId } = useDetailPanelPosition();
  const menuActions = actions.filter(({ main }) => !main);
  const stepButton = (step: 1 | -1, name: string, key: string, Icon: typeof IconArrowUp) => (
    <QuietButton
      aria-label={name}
      title={`${name} (${key})`}
      aria-keyshortcuts={key}
      onClick={() => {
        const targetId = adjacentId(step);
        if (targetId !== undefined) onShow(targetId);
      }}
    >
      <Icon size={18} stroke={1.75} aria-hidden="true" />
    </QuietButton>
  );
  return (
    <div className="side-panel-head">
      <div className="side-panel-line">
        {fullScreen ? (
          <Button
            variant="quiet"
            icon={<IconArrowLeft size={18} stroke={1.75} aria-hidden="true" />}
            onClick={onClose}
          >
            {t`Back`}
          </Button>
        ) : (
          <div className="side-panel-title">
            {avatar && <Avatar of={avatar} />}
            <h2 {...headingLabel(title)}>
              <WithAddresses text={title} />
            </h2>
          </div>
        )}
        <div className="side-panel-tools">
          {stepButton(-1, t`Previous row`, 'K', IconArrowUp)}
          {stepButton(1, t`Next row`, 'J', IconArrowDown)}
          {!fullScreen && (
            <QuietButton aria-label={t`Close`} title={t`Close (Esc)`} onClick={onClose}>
              <IconX size={18} stroke={1.75} aria-hidden="true" />
            </QuietButton>
          )}
        </div>
      </div>
      {/* Announces which row is shown, even if the focus is outside of the panel. */}
      <output className="visually-hidden">{label}</output>
      {actions.length > 0 && (
        <div className="side-panel-actions button-row">
          {actions
            .filter(({ main }) => main)
            .map(({ label: name, icon, danger, onSelect }) => (
              <Button
                key={name}
                size="small"
                icon={icon}
                className={danger ? 'danger' : ''}
                onClick={onSelect}
              >
                {name}
              </Button>
            ))}
          {menuActions.length > 0 && (
            <Menu items={menuActions}>
              <Button size="small">{t`More`}</Button>
            </Menu>
          )}
        </div>
      )}
    </div>
  );
}
