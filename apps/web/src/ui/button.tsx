import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { useBusy } from './use-busy.ts';

/** Props in addition to the attributes of `<button>`. */
export type ButtonProps = {
  /** `primary` for the main action of a screen; `quiet` has no border. */
  variant?: 'primary' | 'secondary' | 'danger' | 'quiet';
  size?: 'small' | 'medium';
  icon?: ReactNode;
  /** Shows a spinner and ignores clicks. */
  busy?: boolean;
  /** If it returns a promise, the button is busy until that settles. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => unknown;
} & Omit<ComponentPropsWithRef<'button'>, 'onClick'>;

/** Button of all screens. Has few dependencies, because the login screen uses it. */
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
      // A `disabled` button would lose the keyboard focus.
      aria-disabled={isBusy || rest['aria-disabled']}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy || event.currentTarget.ariaDisabled === 'true') event.preventDefault();
        else run(event);
      }}
    >
      {isBusy ? <span className="button-spinner" aria-hidden="true" /> : icon}
      {/* React updates the only text of an element even if a translator has replaced it. */}
      {typeof children === 'string' ? <span>{children}</span> : children}
    </button>
  );
}

export function QuietButton(props: ButtonProps) {
  return <Button size="small" variant="quiet" {...props} />;
}
