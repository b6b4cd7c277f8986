import './keys.css';

/** Keyboard shortcut. */
export function Keys({ keys, title }: { keys: string; title?: string }) {
  return (
    <kbd className="keys" title={title}>
      {keys}
    </kbd>
  );
}
