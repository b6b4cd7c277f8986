import { Suspense, useState, type ReactNode } from 'react';

type RenderDialog = (close: () => void) => ReactNode;

/** Returns the open dialog, and functions that open and close it. Opening another dialog replaces it. `onClosed` is called after closing. */
export function useDialog(
  onClosed?: () => void,
): [dialog: ReactNode, open: (render: RenderDialog) => void, close: () => void] {
  const [render, setRender] = useState<RenderDialog | null>(null);
  const close = () => {
    setRender(null);
    onClosed?.();
  };
  const dialog = render && <Suspense>{render(close)}</Suspense>;
  return [dialog, (next) => setRender(() => next), close];
}
