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

/** Button with a menu of actions, labelled by the button (`children`). */
export function Menu({ items, children }: { items: readonly MenuItem[]; children: ButtonElement }) {
  return (
    <MenuFrame button={children}>
      <MenuEntries items={items} />
    </MenuFrame>
  );
}

/** Like `Menu`, for entries of any kind. */
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
          // Otherwise the browser would close the popover that has just been opened.
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
