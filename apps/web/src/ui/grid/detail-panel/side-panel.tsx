/**
 * More about one row of a grid, beside the rows, which stay in sight and can be used; on a phone, the whole screen. Not a
 * dialog: nothing is asked here. J and K, and the arrows, go on to the row after and before it; Esc closes it.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconArrowDown, IconArrowLeft, IconArrowUp, IconX } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button, QuietButton } from '../../button.tsx';
import { Dialog } from '../../dialog/dialog.tsx';
import { topLayer } from '../../dialog/top-layer.ts';
import { isTyping } from '../../events/is-typing.ts';
import { Menu, type MenuItem } from '../../menu/menu.tsx';
import { nameOfHeading, WithAddresses } from '../../person/address.tsx';
import { Avatar } from '../../person/person.tsx';
import { ScrollRegion } from '../../shell/scroll-region.tsx';
import { useBesidePlace } from './panel-position.ts';
import './side-panel.css';

/** Something that can be done about the row; the main ones are buttons, the others are in a menu. */
export type PanelAction = MenuItem & { main?: boolean | undefined };

/** What `SidePanel` takes. */
export type SidePanelProps = {
  /** The row that it is about. */
  id: string;
  /** What it is called: "Invitation of ann@example.com". */
  label: string;
  /** Its heading: "ann@example.com". */
  title: string;
  /** Whose picture stands before the heading. */
  avatar?: { id: string; name: string } | undefined;
  actions: readonly PanelAction[];
  /** Another row is to be shown. */
  onShow: (id: string) => void;
  onClose: () => void;
  children: ReactNode;
};

/** Only beside the rows of a grid. */
export function SidePanel(props: SidePanelProps) {
  const { label, onClose, children } = props;
  const bodyId = useId();
  if (useBesidePlace().whole)
    return (
      // Wider than any phone; the screen is the limit.
      <Dialog title={label} width={2_000} className="side-panel-whole" onClose={onClose}>
        <Keys {...props}>
          <PanelHead {...props} />
          {children}
        </Keys>
      </Dialog>
    );
  return (
    <Keys {...props}>
      <PanelHead {...props} />
      <ScrollRegion className="side-panel-body" id={bodyId} labelledBy={bodyId}>
        {children}
      </ScrollRegion>
    </Keys>
  );
}

/** The region itself, its focus and its keys. */
function Keys({ id, label, onShow, onClose, children }: SidePanelProps) {
  const region = useRef<HTMLElement>(null);
  const shown = useRef<string>(null);
  const { whole, width, previous, next, ...place } = useBesidePlace();

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || isElsewhere(target, region.current)) return;
    if (key === 'Escape' && !whole) onClose();
    else {
      const to = isTyping(target) ? undefined : { j: next, k: previous }[key.toLowerCase()];
      if (to === undefined) return;
      onShow(to);
    }
    event.preventDefault();
    event.stopPropagation();
  });
  useEffect(() => {
    // The keys of one letter work only where the focus is in the panel or in the rows (WCAG 2.2, 2.1.4).
    const host = region.current?.closest<HTMLElement>('.grid-main');
    const listener = (event: KeyboardEvent) => onKey(event);
    host?.addEventListener('keydown', listener);
    return () => host?.removeEventListener('keydown', listener);
  }, []);

  // Another row: the keyboard goes on here.
  useLayoutEffect(() => {
    const { current } = region;
    if (shown.current === id || !current) return;
    shown.current = id;
    if (!current.contains(document.activeElement)) current.focus({ preventScroll: true });
  }, [id]);
  const focusRow = useEffectEvent(place.focusRow);
  useLayoutEffect(() => {
    const { current } = region;
    return () => {
      // Once it is gone.
      if (current?.contains(document.activeElement)) setTimeout(() => focusRow());
    };
  }, []);

  return (
    <section
      ref={region}
      className="side-panel"
      aria-label={label}
      tabIndex={-1}
      {...(!whole && { style: { width } })}
    >
      {children}
    </section>
  );
}

/** What is typed in a dialog, or in a menu, over the panel is meant for that. */
function isElsewhere(target: EventTarget | null, region: HTMLElement | null): boolean {
  const top = topLayer();
  return !(target instanceof Element) || (top !== document.body && !top.contains(region));
}

function PanelHead({ title, avatar, label, actions, onShow, onClose }: SidePanelProps) {
  const { whole, previous, next } = useBesidePlace();
  const more = actions.filter(({ main }) => !main);
  const go = (to: string | undefined) => () => to !== undefined && onShow(to);
  return (
    <div className="side-panel-head">
      <div className="side-panel-line">
        {whole ? (
          <Button
            variant="quiet"
            icon={<IconArrowLeft size={18} stroke={1.75} aria-hidden="true" />}
            onClick={onClose}
          >
            <Trans>Back</Trans>
          </Button>
        ) : (
          <div className="side-panel-title">
            {avatar && <Avatar of={avatar} />}
            <h2 {...nameOfHeading(title)}>
              <WithAddresses text={title} />
            </h2>
          </div>
        )}
        <div className="side-panel-tools">
          <QuietButton
            aria-label={t`Previous row`}
            title={t`Previous row (K)`}
            aria-keyshortcuts="K"
            aria-disabled={previous === undefined}
            onClick={go(previous)}
          >
            <IconArrowUp size={18} stroke={1.75} aria-hidden="true" />
          </QuietButton>
          <QuietButton
            aria-label={t`Next row`}
            title={t`Next row (J)`}
            aria-keyshortcuts="J"
            aria-disabled={next === undefined}
            onClick={go(next)}
          >
            <IconArrowDown size={18} stroke={1.75} aria-hidden="true" />
          </QuietButton>
          {!whole && (
            <QuietButton aria-label={t`Close`} title={t`Close (Esc)`} onClick={onClose}>
              <IconX size={18} stroke={1.75} aria-hidden="true" />
            </QuietButton>
          )}
        </div>
      </div>
      {/* Said when another row is shown, wherever the focus is. */}
      <output className="visually-hidden">{label}</output>
      {actions.length > 0 && (
        <div className="side-panel-actions button-row">
          {actions
            .filter(({ main }) => main)
            .map(({ label: name, icon, danger, disabled = false, onSelect }) => (
              <Button
                key={name}
                size="small"
                icon={icon}
                className={danger ? 'danger' : ''}
                aria-disabled={disabled}
                onClick={onSelect}
              >
                {name}
              </Button>
            ))}
          {more.length > 0 && (
            <Menu items={more}>
              <Button size="small">
                <Trans>More</Trans>
              </Button>
            </Menu>
          )}
        </div>
      )}
    </div>
  );
}
