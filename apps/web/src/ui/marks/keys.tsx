import './keys.css';

/** Keyboard shortcut. */
export const Keys = ({ keys }: { keys: string }) => <kbd className="keys">{keys}</kbd>;
