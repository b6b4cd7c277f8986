import { useEffect, useState, type ReactNode } from 'react';

const controls =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/**
 * A part of the page that scrolls by itself. While it overflows and holds nothing that takes the focus, the keyboard
 * reaches the part itself; at other times it is no stop. It is called as `label` says; or, only while it is a stop, as
 * the element with the id `labelledBy`.
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
  const [isStop, setIsStop] = useState(false);

  useEffect(() => {
    if (!region) return undefined;
    const look = () =>
      setIsStop(region.scrollHeight > region.clientHeight && !region.querySelector(controls));
    // Its box and what is in it: either may change its size alone.
    const observer = new ResizeObserver(look);
    observer.observe(region);
    if (region.firstElementChild) observer.observe(region.firstElementChild);
    return () => observer.disconnect();
  }, [region]);

  return (
    <div
      ref={setRegion}
      id={id}
      className={className}
      {...(isStop && { tabIndex: 0 })}
      {...(label
        ? { role: 'region', 'aria-label': label }
        : isStop && { role: 'region', 'aria-labelledby': labelledBy })}
    >
      <div>{children}</div>
    </div>
  );
}
