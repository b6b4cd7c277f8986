/** Keyboard handling of chips and field, which are one tab stop. */
import { useRef, type FocusEvent, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { formatTyped, readTypedAddresses, type Entry } from '../import/typed-addresses.ts';

/** Finished recipients, and the text being typed. */
export type RecipientInput = { people: Entry[]; addresses: string };

export function useChipKeys(
  { people, addresses }: RecipientInput,
  onChange: (input: RecipientInput) => void,
) {
  const box = useRef<HTMLDivElement>(null);
  const field = () => box.current?.querySelector('textarea');
  const finishTyped = () => {
    if (addresses) onChange({ people: [...people, ...readTypedAddresses(addresses)], addresses: '' });
  };

  const focusAt = (index: number) => {
    const chips = box.current?.querySelectorAll<HTMLElement>('.chip-text') ?? [];
    (chips[Math.max(0, index)] ?? field())?.focus();
  };
  const removeAt = (index: number) => {
    flushSync(() => onChange({ people: people.toSpliced(index, 1), addresses }));
    focusAt(index);
  };

  return {
    box,
    field,
    removeAt,
    /** Moves a recipient back into the field. Text that was in the field becomes recipients. */
    edit: (entry: Entry) => {
      const others = people.filter((person) => person !== entry);
      flushSync(() =>
        onChange({ people: [...others, ...readTypedAddresses(addresses)], addresses: formatTyped(entry) }),
      );
      field()?.select();
    },
    onFieldKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => {
      if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
      const { selectionStart, selectionEnd } = event.currentTarget;
      const isAtStart = selectionStart === 0 && selectionEnd === 0;
      if (event.key === 'Enter') finishTyped();
      else if ((event.key === 'Backspace' || event.key === 'ArrowLeft') && isAtStart && people.length > 0)
        focusAt(people.length - 1);
      else return;
      event.preventDefault();
    },
    onChipKeyDown: (event: KeyboardEvent, index: number) => {
      if (event.key === 'ArrowLeft') focusAt(index - 1);
      else if (event.key === 'ArrowRight') focusAt(index + 1);
      else if (event.key === 'Home') focusAt(0);
      else if (event.key === 'End') focusAt(people.length);
      else if (event.key === 'Delete' || event.key === 'Backspace') removeAt(index);
      else return;
      event.preventDefault();
    },
    /** Ignores the blur if a button receives the focus: a button must not move while it is pressed. */
    onFieldBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof HTMLElement && relatedTarget.matches('input, textarea, select'))
        finishTyped();
    },
  };
}
