import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { useBusy } from './use-busy.ts';

/** What a `Button` takes besides the attributes of `<button>`. */
export type ButtonProps = {
  /** `primary` for the one main action of a screen; `quiet` has no border. */
  variant?: 'primary' | 'secondary' | 'danger' | 'quiet';
  size?: 'small' | 'medium';
  icon?: ReactNode;
  /** Shows the action as running and ignores clicks, as while a promise returned by `onClick` is pending. */
  busy?: boolean;
  /** May return a promise; until it settles the button is busy, so a double click acts once. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => unknown;
} & Omit<ComponentPropsWithRef<'button'>, 'onClick'>;

/** Our button, plain enough for the screens before the door: no UI kit behind it. */
export function Button({
  variant = 'secondary',
  size = 'medium',
  icon,
  busy = false,
  onClick,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const [run, running] = useBusy(onClick);
  const isBusy = busy || running;
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- the default is 'button'; forms ask for 'submit'
      type={type}
      className={`button button-${variant} button-${size}${className ? ` ${className}` : ''}`}
      // Not `disabled`: that would throw the keyboard focus away in mid-action.
      aria-disabled={isBusy || rest['aria-disabled']}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy || event.currentTarget.ariaDisabled === 'true') event.preventDefault();
        else run(event);
      }}
    >
      {isBusy ? <span className="button-spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}

/** A small button without a border, beside what it is about. */
export function QuietButton(props: ButtonProps) {
  return <Button size="small" variant="quiet" {...props} />;
}
