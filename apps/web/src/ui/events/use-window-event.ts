import { useEffect, useEffectEvent } from 'react';

export function useWindowEvent<Type extends 'keydown' | 'pagehide'>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
  capture = false,
): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const listen = (event: WindowEventMap[Type]) => onEvent(event);
    window.addEventListener(type, listen, { capture });
    return () => window.removeEventListener(type, listen, { capture });
  }, [type, capture]);
}

/** Returns whether the target is a form field. If so, pressed keys are text and not shortcuts. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable="true"]');
