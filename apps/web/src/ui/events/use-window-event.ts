import { useEffect, useEffectEvent } from 'react';

/** Hears an event of the window for as long as the component is on the page. */
export function useWindowEvent<Type extends 'keydown' | 'pagehide'>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
  capture = false,
): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const hear = (event: WindowEventMap[Type]) => onEvent(event);
    window.addEventListener(type, hear, { capture });
    return () => window.removeEventListener(type, hear, { capture });
  }, [type, capture]);
}
