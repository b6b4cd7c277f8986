/** Letters typed within this time form one search text. Milliseconds. */
const typeAheadMs = 700;

/** Keyboard handling of an open menu (ARIA Authoring Practices): arrows, Home, End, and type-ahead. */
export class MenuKeys {
  #typed = '';
  #typedAt = 0;

  /** Moves the focus. Returns whether the key was handled. */
  press(menu: HTMLElement, { key, timeStamp, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
    if (ctrlKey || altKey || metaKey) return false;
    const entries = entriesOf(menu);
    const current = entries.findIndex((entry) => entry === document.activeElement);
    const last = entries.length - 1;
    const steps: Record<string, number> = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      Home: 0,
      End: last,
    };
    const step = steps[key];
    // Space activates an entry unless the user is typing a name.
    const typing = key.length === 1 && (key !== ' ' || this.#isTyping(timeStamp));
    if (step === undefined && !typing) return false;
    const next = step ?? this.#search(entries, current, key, timeStamp);
    entries[next]?.focus();
    return true;
  }

  #isTyping(timeStamp: number): boolean {
    return this.#typed !== '' && timeStamp - this.#typedAt < typeAheadMs;
  }

  #search(entries: readonly HTMLElement[], current: number, key: string, timeStamp: number): number {
    const letter = key.toLocaleLowerCase();
    this.#typed = this.#isTyping(timeStamp) ? this.#typed + letter : letter;
    this.#typedAt = timeStamp;
    // Typing a letter repeatedly steps through the entries that start with this letter.
    const isRepeated = this.#typed === letter.repeat(this.#typed.length);
    const searchText = isRepeated ? letter : this.#typed;
    const from = isRepeated ? current + 1 : Math.max(current, 0);
    const order = entries.map((_, index) => (from + index) % entries.length);
    return order.find((index) => nameOf(entries[index]).startsWith(searchText)) ?? current;
  }
}

export function entriesOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

function nameOf(entry: HTMLElement | undefined): string {
  return entry?.querySelector('.menu-name')?.textContent.trim().toLocaleLowerCase() ?? '';
}
