/** Fields and buttons of the screens before the door, with the look of ui/fields and ui/button, which need React. */
import '../fields.css';
import './passkeys.css';

/** A labelled field of one line, and how to tell what is wrong with it. */
type LineField = {
  element: HTMLElement;
  input: HTMLInputElement;
  /** Marks the field and goes there; null takes that back. */
  refuse: (sentence: string | null) => void;
};

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

export function lineField(
  label: string,
  attributes: Partial<Pick<HTMLInputElement, 'type' | 'name' | 'inputMode' | 'maxLength' | 'value'>> & {
    /** Also what the DOM's types do not know, such as `username webauthn`. */
    autocomplete: string;
  },
): LineField {
  const id = `field-${attributes.name ?? label}`;
  const caption = element('label', 'field-label', label);
  caption.htmlFor = id;
  const { autocomplete, ...properties } = attributes;
  const input = Object.assign(element('input', 'field-input'), properties, { id });
  input.setAttribute('autocomplete', autocomplete);
  const error = element('div', 'field-error');
  error.id = `${id}-error`;
  const field: LineField = {
    element: element('div', 'field', caption, input, error),
    input,
    refuse(sentence) {
      error.textContent = sentence;
      error.hidden = sentence === null;
      input.ariaInvalid = sentence === null ? null : 'true';
      if (sentence === null) return input.removeAttribute('aria-describedby');
      input.setAttribute('aria-describedby', error.id);
      input.focus();
      return input.select();
    },
  };
  field.refuse(null);
  input.addEventListener('input', () => field.refuse(null));
  return field;
}

/** A form that the browser does not judge. */
export function formOf(submit: () => unknown, ...content: Node[]): HTMLFormElement {
  const form = element('form', '', ...content);
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

/** `run` happens once at a time, and the button shows that it does. Without it the button submits its form. */
export function button(
  label: string,
  variant: 'primary' | 'secondary' | 'quiet',
  run?: () => unknown,
): HTMLButtonElement {
  const made = element('button', `button button-${variant} button-medium`, label);
  made.type = run ? 'button' : 'submit';
  if (run) made.addEventListener('click', () => void busily(made, run));
  return made;
}

/** While it runs, the button is busy, and ignores what comes in meanwhile. */
export async function busily(shown: HTMLButtonElement, run: () => unknown): Promise<void> {
  if (shown.ariaBusy === 'true') return;
  shown.ariaBusy = 'true';
  const spinner = element('span', 'button-spinner');
  spinner.ariaHidden = 'true';
  shown.prepend(spinner);
  try {
    await run();
  } finally {
    spinner.remove();
    shown.ariaBusy = null;
  }
}

/** The mark of passkeys. */
function fingerprint(): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.classList.add('fingerprint');
  picture.ariaHidden = 'true';
  const lines = document.createElementNS(space, 'path');
  lines.setAttribute(
    'd',
    'M18.9 7a8 8 0 0 1 1.1 5v1a6 6 0 0 0 .8 3M8 11a4 4 0 0 1 8 0v1a10 10 0 0 0 2 6M12 11v2a14 14 0 0 0 2.5 8M8 15a18 18 0 0 0 1.8 6M4.9 19a22 22 0 0 1-.9-7v-1a8 8 0 0 1 12-6.95',
  );
  picture.append(lines);
  return picture;
}

/** A button with the mark of passkeys. Without `run` it submits its form. */
export function passkeyButton(
  label: string,
  run?: () => unknown,
  rank: 'primary' | 'secondary' = 'primary',
): HTMLButtonElement {
  const made = button(label, rank, run);
  made.prepend(fingerprint());
  return made;
}

export function note(sentence: string): HTMLElement {
  return element('p', 'login-panel-note', sentence);
}
