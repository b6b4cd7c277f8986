/** How long letters typed one after another count as one word. Milliseconds. */
const typingPause = 700;

/** The keys of an open menu (ARIA Authoring Practices): arrows, Home, End, and the first letters of an entry. */
export class MenuKeys {
  #typed = '';
  #typedAt = 0;

  /** Moves the focus as the key says; answers whether it is one of these keys. */
  press(menu: HTMLElement, { key, timeStamp, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
    if (ctrlKey || altKey || metaKey) return false;
    const entries = entriesOf(menu);
    const now = entries.findIndex((entry) => entry === document.activeElement);
    const last = entries.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: now === last ? 0 : now + 1,
      ArrowUp: now <= 0 ? last : now - 1,
      Home: 0,
      End: last,
    };
    const step = steps[key];
    // Space chooses, unless it is part of the name that is being typed.
    const typing = key.length === 1 && (key !== ' ' || this.#isTyping(timeStamp));
    if (step === undefined && !typing) return false;
    const next = step ?? this.#search(entries, now, key, timeStamp);
    entries[next]?.focus();
    return true;
  }

  #isTyping(timeStamp: number): boolean {
    return this.#typed !== '' && timeStamp - this.#typedAt < typingPause;
  }

  #search(entries: readonly HTMLElement[], now: number, key: string, timeStamp: number): number {
    const letter = key.toLocaleLowerCase();
    this.#typed = this.#isTyping(timeStamp) ? this.#typed + letter : letter;
    this.#typedAt = timeStamp;
    // The same letter again and again: the next of the entries that begin with it.
    const again = this.#typed === letter.repeat(this.#typed.length);
    const wanted = again ? letter : this.#typed;
    const from = again ? now + 1 : Math.max(now, 0);
    const order = entries.map((_, index) => (from + index) % entries.length);
    return order.find((index) => nameOf(entries[index]).startsWith(wanted)) ?? now;
  }
}

/** The entries of a menu that can be chosen, in their order. */
export function entriesOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)')];
}

function nameOf(entry: HTMLElement | undefined): string {
  return entry?.querySelector('.menu-name')?.textContent.trim().toLocaleLowerCase() ?? '';
}
