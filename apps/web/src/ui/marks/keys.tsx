import './keys.css';

/** What is pressed at once, as keys look. */
export function Keys({ keys, title }: { keys: string; title?: string }) {
  return (
    <kbd className="keys" title={title}>
      {keys}
    </kbd>
  );
}
