import {
  cloneElement,
  useId,
  useState,
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
} from 'react';
import { MenuEntries, MenuPanel, type MenuItem } from './menu-panel.tsx';

export type { MenuItem } from './menu-panel.tsx';

type ButtonElement = ReactElement<ComponentPropsWithRef<'button'>>;

/** A button (`children`) that opens a list of actions and names it: arrow keys, first letters, Esc; the focus returns to the button. */
export function Menu({ items, children }: { items: readonly MenuItem[]; children: ButtonElement }) {
  return (
    <MenuFrame button={children}>
      <MenuEntries items={items} />
    </MenuFrame>
  );
}

/** The same for entries of any kind. */
export function MenuFrame({ button, children }: { button: ButtonElement; children: ReactNode }) {
  const id = useId();
  const [opener, setOpener] = useState<HTMLButtonElement | null>(null);
  return (
    <>
      {cloneElement(button, {
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': opener !== null,
        onClick: (event) => {
          // The browser would close what has just opened.
          event.preventDefault();
          setOpener(opener ? null : event.currentTarget);
        },
      })}
      {opener && (
        <MenuPanel anchor={opener} aria-labelledby={id} onClose={() => setOpener(null)}>
          {children}
        </MenuPanel>
      )}
    </>
  );
}
