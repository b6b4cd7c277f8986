import { useEffect, useState, type ReactNode } from 'react';

const focusableSelector =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/**
 * Scrollable part of a page. It can be focused while it overflows and contains no focusable element. `label` is always its accessible name;
 * `labelledBy` is used only while the region can be focused.
 */
export function ScrollRegion({
  id,
  className,
  label,
  labelledBy,
  children,
}: {
  id?: string;
  className: string;
  label?: string;
  labelledBy?: string;
  children: ReactNode;
}) {
  const [region, setRegion] = useState<HTMLElement | null>(null);
  const [isFocusable, setIsFocusable] = useState(false);

  useEffect(() => {
    if (!region) return undefined;
    const update = () =>
      setIsFocusable(region.scrollHeight > region.clientHeight && !region.querySelector(focusableSelector));
    // The size of the box and of its content can change independently.
    const observer = new ResizeObserver(update);
    observer.observe(region);
    if (region.firstElementChild) observer.observe(region.firstElementChild);
    return () => observer.disconnect();
  }, [region]);

  return (
    <div
      ref={setRegion}
      id={id}
      className={className}
      {...(isFocusable && { tabIndex: 0 })}
      {...(label
        ? { role: 'region', 'aria-label': label }
        : isFocusable && { role: 'region', 'aria-labelledby': labelledBy })}
    >
      <div>{children}</div>
    </div>
  );
}
